import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const hasOpenssl: boolean = spawnSync("openssl", ["version"]).status === 0;

export interface Identity {
  key: string;
  cert: string;
}

/** A certificate authority, and servers' certificates: right, self-signed, expired, and for another name. All name `localhost` but the last. */
export function certificates(): {
  ca: string;
  good: Identity;
  selfSigned: Identity;
  expired: Identity;
  wrongName: Identity;
} {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-tls-"));
  const openssl = (...args: string[]): void => {
    const { status, stderr } = spawnSync("openssl", args, { cwd: dir, encoding: "utf8" });
    if (status !== 0) throw new Error(`openssl ${args.join(" ")}: ${stderr}`);
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256"];
  const read = (file: string): string => readFileSync(join(dir, file), "utf8");
  const signed = (file: string, name: string, days: string): Identity => {
    openssl("req", "-new", ...key, "-keyout", `${file}.key`, "-out", `${file}.csr`, "-subj", `/CN=${name}`);
    writeFileSync(join(dir, `${file}.ext`), `subjectAltName=DNS:${name}\n`);
    openssl(
      "x509",
      "-req",
      "-in",
      `${file}.csr`,
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-days",
      days,
      "-extfile",
      `${file}.ext`,
      "-out",
      `${file}.pem`,
    );
    return { key: read(`${file}.key`), cert: read(`${file}.pem`) };
  };
  try {
    openssl(
      "req",
      "-x509",
      ...key,
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-days",
      "2",
      "-subj",
      "/CN=form-backend test CA",
    );
    openssl(
      "req",
      "-x509",
      ...key,
      "-keyout",
      "self.key",
      "-out",
      "self.pem",
      "-days",
      "2",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
    );
    return {
      ca: read("ca.pem"),
      good: signed("good", "localhost", "2"),
      selfSigned: { key: read("self.key"), cert: read("self.pem") },
      expired: signed("expired", "localhost", "-1"),
      wrongName: signed("wrong", "other.example", "2"),
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}
