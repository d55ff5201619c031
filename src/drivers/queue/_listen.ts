/** One connection of the pool, as much of it as listening needs. */
export interface ListenClient {
  query(text: string): Promise<unknown>;
  on(event: "notification", listener: (message: { channel: string; payload?: string | undefined }) => void): unknown;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  /** `true` takes the connection out of the pool. */
  release(destroy?: boolean): void;
}

/** The part of a pool of `pg` that we use. */
export interface ListenPool {
  query(text: string, values: unknown[]): Promise<unknown>;
  connect(): Promise<ListenClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  readonly options?: { readonly max?: number | undefined };
}
