// A club's program in TypeScript: types and calls come from the service's own document.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

const client = createClient<paths>({
  baseUrl: process.env.HOMERUN_URL,
  headers: { Authorization: `Api-Key ${process.env.HOMERUN_KEY}` },
});

const hand = JSON.parse(process.env.HOMERUN_HAND ?? "") as components["schemas"]["HandDocumentRequest"];
const recorded = await client.POST("/api/v1/hands", {
  params: { header: { "Idempotency-Key": "typescript" } },
  body: hand,
});
if (recorded.error) throw new Error(recorded.error.detail);
const read = await client.GET("/api/v1/hands/{hand_id}", {
  params: { path: { hand_id: recorded.data.id } },
});
if (read.error) throw new Error(read.error.detail);
const refused = await client.POST("/api/v1/players", { body: { name: "" } });
const sessions = await client.GET("/api/v1/sessions", { params: { query: { limit: 1 } } });

console.log(
  JSON.stringify({
    number: read.data.number,
    points: recorded.data.points,
    sessions: sessions.data?.results.length,
    refused: refused.error?.errors?.[0]?.pointer,
  }),
);
