// Rival (a), what one would write by hand: Express, its body parser and one INSERT per post.
import express from "express";
import { openStore } from "./hand-written-store.mjs";
import { listen, report } from "./report.mjs";

const { insert, stored } = await openStore(process.env);
const app = express().post("/f/:form", express.urlencoded({ extended: false }), async (req, res) => {
  await insert(req.params.form, req.body);
  res.json({ code: 200, status: "success" });
});
report({ url: `${await listen(app)}/f/contact` }, { stored });
