import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

export const AUDIENCE = "https://api.example.com/forms";
/** The moment at which test clocks start, in epoch seconds. */
export const NOW = Date.parse("2026-01-01T00:00:00.000Z") / 1_000;

type Alg = "RS256" | "ES256" | "EdDSA" | "PS256";

/** A key pair as an issuer has it. */
export async function signer(kid: string | undefined, alg: Alg = "RS256") {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), alg, use: "sig", ...(kid !== undefined && { kid }) };
  return {
    jwk,
    /** A token with sound claims for `issuer`, changed by `claims` (undefined takes one away) and `header`. */
    token(issuer: string, claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): Promise<string> {
      const payload = {
        iss: issuer,
        aud: AUDIENCE,
        sub: "user-1",
        client_id: "app",
        iat: NOW,
        exp: NOW + 300,
        ...claims,
      };
      return new SignJWT(JSON.parse(JSON.stringify(payload)) as JWTPayload)
        .setProtectedHeader({ alg, ...(kid !== undefined && { kid }), typ: "at+jwt", ...header })
        .sign(privateKey);
    },
  };
}

/** An issuer on a real socket: `answers` maps paths to bodies (an object, or a status), and may be changed while it runs. */
export async function issuerServer(answers: Map<string, object | number>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = answers.get(request.url ?? "") ?? 404;
    if (typeof answer === "number") return void response.writeHead(answer).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every path that was asked for, in order. */
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
