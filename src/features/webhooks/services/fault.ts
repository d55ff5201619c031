import type { DeliveryCode } from "../../../model/codes.ts";
import type { Pause } from "../../../model/pause.ts";

/** Why an entry could not be written. */
export interface Fault {
  readonly code: DeliveryCode;
  readonly status?: number;
  readonly nodeErrorCode?: string;
  readonly message: string;
  /** True if no word of the message is the service's, which may repeat what it was sent. */
  readonly ours: boolean;
  /** Seconds to wait at least, as the service says or documents. */
  readonly waitSeconds?: number;
  /** Set where the owner has to do something first: the webhook is turned off and its owner told. */
  readonly pause?: Pause;
}
