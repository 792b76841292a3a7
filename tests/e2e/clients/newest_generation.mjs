// The newest generation's headers, envelopes and paging, by hand. Arguments: base URL of a context, key.
import assert from "node:assert/strict";

const [base, key] = process.argv.slice(2);

async function ask(method, path, body, headers = {}) {
    const answer = await fetch(base + path, {
        method,
        headers: {
            Authorization: `Bearer ${key}`,
            "User-Agent": "surrealdb-memory-js/0.2.1",
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
            ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null, trace: answer.headers.get("x-trace-id") };
}

async function listAll(path, collection) {
    const rows = [];
    const seen = new Set();
    let cursor;
    do {
        const query = new URLSearchParams({ limit: "2", count: "true", ...(cursor ? { cursor } : {}) });
        const { status, body } = await ask("GET", `${path}?${query}`);
        assert.equal(status, 200);
        rows.push(...body[collection]);
        cursor = body.page.nextCursor;
        assert.ok(!seen.has(cursor));
        seen.add(cursor);
        assert.equal(body.page.hasMore, cursor !== undefined);
    } while (cursor);
    return rows;
}

const headers = { "Idempotency-Key": crypto.randomUUID() };
const words = { text: "I'm Alice, Head of Platform at Acme.", observed_at: "2026-03-01T12:00:00Z" };
const told = await ask("POST", "/facts", words, headers);
assert.equal(told.status, 200);
assert.ok(told.trace);
assert.equal((await ask("POST", "/facts", words, headers)).body.turnId, told.body.turnId);
assert.equal((await ask("POST", "/facts", { ...words, text: "Other." }, headers)).status, 409);
for (const path of ["org/one", "org/two", "org/three"]) {
    assert.equal((await ask("POST", "/scopes", { path })).status, 201);
}
assert.deepEqual(
    (await listAll("/scopes", "scopes")).map((node) => node.path),
    ["org/", "org/one/", "org/three/", "org/two/"],
);
assert.ok(Array.isArray((await ask("GET", "/keys")).body.keys));
assert.ok((await listAll("/principals", "principals")).length >= 2);
assert.ok((await listAll("/entities", "entities")).some((entity) => entity.name === "Alice"));
assert.equal((await listAll(`/sessions/${encodeURIComponent(told.body.sessionId)}/turns`, "turns")).length, 1);
const acting = await ask("GET", "/me", undefined, { "X-Spectron-On-Behalf-Of": "principal:admin" });
assert.equal(acting.body.principalId, "principal:admin");
const wrong = await ask("GET", "/entities?cursor=nonsense");
assert.equal(wrong.status, 400);
assert.ok(wrong.body.title && wrong.body.message && wrong.body.detail);
const before = await ask("POST", "/query", { query: "Where does Alice work?" }, { "Idempotency-Key": "same" });
assert.equal(before.status, 200);
const triple = { entity: { type: "person", name: "Alice" }, key: "works_at", target: { name: "Birka" } };
assert.equal((await ask("POST", "/facts", { infer: "triples", triples: [triple] })).status, 200);
const after = await ask("POST", "/query", { query: "Where does Alice work?" }, { "Idempotency-Key": "same" });
assert.notDeepEqual(after.body.hits, before.body.hits);
console.log("ok");
