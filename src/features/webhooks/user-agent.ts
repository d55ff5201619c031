/** The `User-Agent` of requests: the brand's own, and its page for help. */
export const userAgentOf = ({ userAgent, supportUrl }: { userAgent: string; supportUrl: string }): string =>
  userAgent + (supportUrl && ` (+${supportUrl})`);
