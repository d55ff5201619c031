import type { Core } from "../../core/core.ts";
import type { Write } from "../../drivers/storage/types.ts";
import type { RemovedKind, TeamDeletionRecord } from "../../model/team-deletion.ts";
import type { Run } from "./run.ts";

type Counts = Partial<Record<RemovedKind, number>>;

/** What a step notes besides its counts. */
interface More {
  readonly forms?: Iterable<string>;
  readonly searched_until?: string;
}

/** The deletion of one team, in steps: each commit also counts, so that the receipt is exact whenever a process dies. */
export interface Deletion {
  readonly core: Core;
  readonly run: Run;
  readonly team_id: string;
  /** Commits the removal of rows with its count. False if one of them has changed meanwhile: a later pass finds it again. */
  step(writes: readonly Write[], counts: Counts, more?: More): Promise<boolean>;
  /** Rests after a page that was only read. */
  rest(): Promise<void>;
  /** What the mark says now. */
  note(): TeamDeletionRecord;
  /** Rows that the pass has removed, and those that it has to look at again. */
  found: number;
}
