/** What the test's page tells the app, and the app the test. */
interface Window {
  endpoint: string;
  heard: string[];
}
/** Set by tests of drafts alone; a server has none. */
declare var draft: "local" | "server" | undefined;
/** Set by the test of the places left alone. */
declare var availability: boolean | undefined;
declare module "*.vue" {
  const component: import("vue").Component<{ url: string }>;
  export default component;
}
