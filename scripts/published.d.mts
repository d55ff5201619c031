export declare function withRepository(manifest: string, repository: string): string;
export declare function faultsOf(state: { manifest: string; changelog: string; dryRun: boolean }): string[];
export declare function absolute(readme: string, manifest: string): string;
export declare function relative(readme: string, manifest: string): string;
export declare function isNamed(manifest: string): boolean;
export declare function withDeployButton(readme: string, repository: string): string;
