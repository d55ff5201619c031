/** A fault of one row. Its message names the field. */
export class RowFault extends Error {}
