/** The CPU time of this process so far, ms: unlike time, it does not run while the machine does other things. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
