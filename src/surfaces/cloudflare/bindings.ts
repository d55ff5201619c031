import type { DurableObjectStorageLike } from "../../drivers/storage/_durable-object.ts";

/** The members used of the storage of a Durable Object. */
export interface ObjectStorageLike extends DurableObjectStorageLike {
  /** The time of the alarm that is set, or null. */
  getAlarm(): Promise<number | null>;
  /** Sets the one alarm of the object, in place of an earlier one. */
  setAlarm(at: number): Promise<void>;
}

/** The members used of the state that the constructor of a Durable Object gets. */
export interface DurableObjectStateLike {
  readonly storage: ObjectStorageLike;
  /** Holds other events back until `work` has ended. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
}

/** A fault as it crosses RPC, where an error keeps its message alone. */
export interface RemoteFault {
  /** The code of an `ApiError`; null for a `TypeError`. */
  readonly code: string | null;
  readonly message: string;
  readonly param?: string | undefined;
  readonly required?: readonly string[] | undefined;
  readonly fields?: unknown;
}

/** Where the backend of an object serves. */
export interface ObjectPlace {
  readonly baseUrl: string;
  readonly legacyBaseUrl: string;
}

/** What the Worker calls on an object of `formBackendObject`. */
export interface ObjectStub {
  /** Serves a request. */
  fetch(request: Request): Promise<Response>;
  /** Calls an operation in process, such as `forms.get`. */
  formBackendCall(name: string, args: unknown[]): Promise<{ value: unknown } | { fault: RemoteFault }>;
  /** Where it serves; a sentence instead if its options are wrong. */
  formBackendPlace(): Promise<ObjectPlace | { fault: RemoteFault }>;
}

/** The members used of the binding of a Durable Object's namespace. */
export interface ObjectNamespaceLike {
  /** The id of a name. */
  idFromName(name: string): unknown;
  /** A stub of the object with an id. */
  get(id: never): unknown;
}

/** The object that has the forms unless `object` names another. */
export const DEFAULT_OBJECT = "forms";

/** The stub of a named object. */
export function stubOf(namespace: ObjectNamespaceLike, name: string): ObjectStub {
  return namespace.get(namespace.idFromName(name) as never) as ObjectStub;
}
