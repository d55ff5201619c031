/** The page with the form. */
export const page = (endpoint) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Contact us</title>
  <link rel="icon" href="data:,">
  <style>
    :root { color-scheme: light dark; }
    body { margin: 0; background: light-dark(#f4f4f7, #111319); color: light-dark(#1b1d24, #eceef3); font: 1rem / 1.6 system-ui, sans-serif; }
    main { max-width: 34rem; margin: clamp(1rem, 8vh, 6rem) auto; padding: 0 1rem; }
    form { display: grid; gap: 0.4rem; }
    label { font-weight: 600; margin-top: 0.5rem; }
    input, textarea { padding: 0.7rem; border: 1px solid light-dark(#747c8c, #8a94a6); border-radius: 8px; background: light-dark(#fff, #12151b); color: inherit; font: inherit; }
    button { margin-top: 1rem; padding: 0.8rem; border: 0; border-radius: 8px; background: #4338ca; color: #fff; font: inherit; font-weight: 600; }
    .trap { position: absolute; left: -9999px; }
  </style>
</head>
<body>
  <main>
    <h1>Contact us</h1>
    <form action="${endpoint}" method="post" enctype="multipart/form-data">
      <label for="name">Name</label>
      <input id="name" name="name" autocomplete="name" required>
      <label for="email">Email</label>
      <input id="email" name="email" type="email" autocomplete="email" required>
      <label for="message">Message</label>
      <textarea id="message" name="message" rows="5" required></textarea>
      <label for="photo">Photo</label>
      <input id="photo" name="photo" type="file" accept="image/*">
      <!-- People never see this field; a robot that fills it in marks its post as spam. -->
      <div class="trap" aria-hidden="true"><label>Leave this empty <input name="_gotcha" tabindex="-1" autocomplete="off"></label></div>
      <button>Send</button>
    </form>
  </main>
</body>
</html>
`;
