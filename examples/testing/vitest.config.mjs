// Of its own, so that Vitest does not take that of the clone around it.
export default {};
