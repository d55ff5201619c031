export default `
:root { color-scheme: light dark; --edge: light-dark(#747c8c, #8a94a6); --primary: #4338ca; }
* { box-sizing: border-box; }
body {
  margin: 0;
  background: light-dark(#f4f4f7, #111319);
  color: light-dark(#1b1d24, #eceef3);
  font: 1rem / 1.6 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 34rem; margin: clamp(1rem, 8vh, 6rem) auto; padding: 0 1rem; }
h1 { margin: 0 0 0.5rem; font-size: clamp(1.8rem, 6vw, 2.6rem); line-height: 1.15; letter-spacing: -0.02em; }
main > p { margin: 0 0 1.75rem; color: light-dark(#555c6b, #a6afbf); }
form {
  display: grid;
  gap: 0.4rem;
  padding: clamp(1.1rem, 5vw, 2rem);
  border: 1px solid light-dark(#e0e1e8, #2a2f3a);
  border-radius: 16px;
  background: light-dark(#ffffff, #191c24);
  box-shadow: 0 12px 32px #00000012;
}
label, legend { padding: 0; font-weight: 600; }
fieldset { display: grid; margin: 0 0 0.8rem; padding: 0; border: 0; }
fieldset label, label:has([type="checkbox"]) { padding: 0.3rem 0; font-weight: 400; }
input:not([type="radio"], [type="checkbox"]), select, textarea {
  width: 100%;
  margin: 0 0 0.8rem;
  padding: 0.65rem 0.75rem;
  border: 1px solid var(--edge);
  border-radius: 8px;
  background: light-dark(#ffffff, #12151b);
  color: inherit;
  font: inherit;
}
button {
  padding: 0.8rem;
  border: 0;
  border-radius: 8px;
  background: var(--primary);
  color: #ffffff;
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:hover { filter: brightness(1.12); }
:focus-visible { outline: 3px solid light-dark(#4338ca, #a5b4fc); outline-offset: 2px; }
.trap { position: absolute; left: -9999px; }
`;
