// Which statements a question makes the store run, and how the database goes about them.

/** A SQLite handle that notes the statements which answer rows. */
export function watchSqlite(database) {
  let seen = [];
  return {
    database: {
      prepare(sql) {
        const statement = database.prepare(sql);
        const noted =
          (verb) =>
          (...params) => {
            const found = statement[verb](...params);
            seen.push({ sql, params, rows: Array.isArray(found) ? found.length : 1 });
            return found;
          };
        return { run: (...params) => statement.run(...params), get: noted("get"), all: noted("all") };
      },
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
    },
    /** Those since the last call, each with its plan. */
    async plans() {
      const taken = seen;
      seen = [];
      return taken.map(({ sql, params, rows }) => {
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params);
        return { sql, rows, plan: steps.map(({ detail }) => detail).join("\n") };
      });
    },
  };
}

/** A pool of mysql2's promises that notes its queries. */
export function watchMysql(pool) {
  let seen = [];
  return {
    pool: {
      async getConnection() {
        const connection = await pool.getConnection();
        return {
          connection: connection.connection,
          release: () => connection.release(),
          destroy: () => connection.destroy(),
          async query(options) {
            const answer = await connection.query(options);
            seen.push({ ...options, rows: Array.isArray(answer[0]) ? answer[0].length : 0 });
            return answer;
          },
        };
      },
    },
    /** Those since the last call, each with its plan. */
    async plans() {
      const taken = seen.filter(({ sql }) => /^\s*(SELECT|WITH|UPDATE|DELETE)/i.test(sql));
      seen = [];
      const explained = [];
      for (const { sql, values, rows } of taken) {
        const [lines] = await pool.query({ sql: `EXPLAIN ${sql}`, values });
        explained.push({ sql, rows, plan: lines.map((line) => Object.values(line).join(" | ")).join("\n") });
      }
      return explained;
    },
  };
}

/** A pg pool that notes its queries. */
export function watchPool(pool) {
  let seen = [];
  const noted =
    (query) =>
    async (...args) => {
      const result = await query(...args);
      const [first, second] = args;
      const sql = typeof first === "string" ? first : first.text;
      const params = (typeof first === "string" ? second : first.values) ?? [];
      for (const each of [result].flat()) seen.push({ sql, params, rows: each.rows?.length ?? 0 });
      return result;
    };
  const watched = (target) =>
    new Proxy(target, {
      get(of, name) {
        if (name === "query") return noted(of.query.bind(of));
        if (name === "connect") return async () => known(await of.connect());
        const member = Reflect.get(of, name);
        return typeof member === "function" ? member.bind(of) : member;
      },
    });
  // The same client is the same object each time, as whoever listens to it expects.
  const clients = new WeakMap();
  const known = (client) => {
    if (!clients.has(client)) clients.set(client, watched(client));
    return clients.get(client);
  };
  return {
    pool: watched(pool),
    /** Those since the last call, each with its plan. */
    async plans() {
      const taken = seen.filter(({ sql }) => /^\s*(SELECT|WITH|UPDATE|DELETE)/i.test(sql));
      seen = [];
      const explained = [];
      for (const { sql, params, rows } of taken) {
        const { rows: lines } = await pool.query(`EXPLAIN ${sql}`, params);
        explained.push({ sql, rows, plan: lines.map((line) => line["QUERY PLAN"]).join("\n") });
      }
      return explained;
    },
  };
}
