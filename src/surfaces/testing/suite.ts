/** A conformance case: it makes its own driver with `create`, and throws when the driver is not one. */
export interface Case<Driver, Options = void> {
  readonly name: string;
  run(create: (options: Options) => Promise<Driver> | Driver): Promise<void>;
}

/** A conformance suite is data, so that any test runner can run it: `for (const c of suite) test(c.name, () => c.run(create))`. */
export type Suite<Driver, Options = void> = readonly Case<Driver, Options>[];
