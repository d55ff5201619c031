import { type HostFormSettingsPatch, type SettingName, settingLeaves } from "./form-settings.ts";
import type { Leaf } from "./leaf.ts";

type Gated = {
  [K in SettingName]: (typeof settingLeaves)[K] extends { readonly plan: { readonly feature: infer F } } ? F : never;
}[SettingName];

/**
 * The first leaf of a patch that needs a feature that `includes` denies; undefined if there is none. Switching a leaf off needs
 * no feature.
 */
export function gatedSetting(
  patch: HostFormSettingsPatch,
  includes: (feature: Gated) => boolean,
): SettingName | undefined {
  const found = (Object.entries(settingLeaves) as [SettingName, Leaf][]).find(
    ([name, { plan }]) =>
      plan !== undefined &&
      patch[name] !== undefined &&
      !includes(plan.feature as Gated) &&
      plan.switchesOn(patch[name] as never),
  );
  return found?.[0];
}
