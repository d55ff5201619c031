// The rival: what one would write by hand. Express, its body parser and one INSERT per post, on the same engine and settings.
import { DatabaseSync } from "@photostructure/sqlite";
import express from "express";

const { DATABASE, PORT } = process.env;
const db = new DatabaseSync(DATABASE);
db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
db.exec("CREATE TABLE submissions (id INTEGER PRIMARY KEY, form TEXT, created_at TEXT, data TEXT)");
db.exec("CREATE INDEX by_form ON submissions (form, created_at)");
const insert = db.prepare("INSERT INTO submissions (form, created_at, data) VALUES (?, ?, ?)");

express()
  .post("/f/:form", express.urlencoded({ extended: false }), (req, res) => {
    insert.run(req.params.form, new Date().toISOString(), JSON.stringify(req.body));
    res.json({ code: 200, status: "success" });
  })
  // A handle that nothing refers to any more is closed with its statements.
  .set("database", db)
  .listen(Number(PORT), "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${PORT}/f/contact` }));
