import { defineHandler } from "nitro/h3";
import { contactForm } from "../form-backend";
import style from "../style.ts";

export default defineHandler(async (event) => {
  const { endpoint } = await contactForm();
  event.res.headers.set("content-type", "text/html; charset=utf-8");
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Contact us</title>
  <link rel="icon" href="data:,">
  <style>${style}</style>
</head>
<body>
  <main>
    <h1>Contact us</h1>
    <p>A plain HTML form. No script on this page, and none needed.</p>
    <form action="${endpoint}" method="post">
      <label for="name">Name</label>
      <input id="name" name="name" autocomplete="name" required>
      <label for="email">Email</label>
      <input id="email" name="email" type="email" autocomplete="email" required>
      <label for="message">Message</label>
      <textarea id="message" name="message" rows="5" required></textarea>
      <!-- People never see this field; a robot that fills it in marks its post as spam. -->
      <div class="trap" aria-hidden="true"><label>Leave this empty <input name="_gotcha" tabindex="-1" autocomplete="off"></label></div>
      <button>Send</button>
    </form>
  </main>
</body>
</html>`;
});
