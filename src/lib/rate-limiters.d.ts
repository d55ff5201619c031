/** The limiters by their own files: the package's index loads those of a dozen stores. */
declare module "rate-limiter-flexible/lib/RateLimiterMemory.js" {
  import { RateLimiterMemory } from "rate-limiter-flexible";
  export default RateLimiterMemory;
}
declare module "rate-limiter-flexible/lib/RateLimiterRedis.js" {
  import { RateLimiterRedis } from "rate-limiter-flexible";
  export default RateLimiterRedis;
}
declare module "rate-limiter-flexible/lib/RateLimiterPostgres.js" {
  import { RateLimiterPostgres } from "rate-limiter-flexible";
  export default RateLimiterPostgres;
}
