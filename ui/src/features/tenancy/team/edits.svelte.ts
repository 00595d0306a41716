// Switches that save at once. What is shown is what is wanted until the server has said yes or no; a no puts back what
// was there. Quick clicks on one member go out one after the other, each with the whole set, and each on top of what the
// one before left: a set that somebody else changed in between is not overwritten.

import { SvelteMap } from 'svelte/reactivity';
import type { Member } from '$lib/api/schema';
import { sameSet, withItem } from '$lib/groups';

interface Effects {
  /** Saves on top of this member; resolves to the member as they are then, when the pages show it. */
  save: (member: Member, permissions: string[]) => Promise<Member | undefined>;
  saved: (member: Member) => void;
  /** Somebody else was quicker with the next change, so this person's last one was not sent. */
  passed: (before: Member, now: Member | undefined) => void;
  /** Resolves when the pages show what is there. */
  failed: (member: Member, cause: unknown) => Promise<unknown>;
}

export class Edits {
  #wanted = new SvelteMap<string, string[]>();
  #sending = new Set<string>();
  #effects: Effects;

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  /** What the member holds, as far as the reader is concerned. */
  held(member: Member): readonly string[] {
    return this.#wanted.get(member.account_id) ?? member.permissions;
  }

  async toggle(member: Member, permission: string, on: boolean): Promise<void> {
    const account = member.account_id;
    this.#wanted.set(account, withItem(this.held(member), permission, on));
    if (this.#sending.has(account)) return; // the loop that is running sends it too
    this.#sending.add(account);
    try {
      let seen = member;
      for (;;) {
        const sent = this.#wanted.get(account)!;
        const now = await this.#effects.save(seen, sent);
        if (this.#wanted.get(account) === sent) return this.#effects.saved(member);
        if (!now || !sameSet(now.permissions, sent)) return this.#effects.passed({ ...seen, permissions: sent }, now);
        seen = now;
      }
    } catch (cause) {
      await this.#effects.failed(member, cause);
    } finally {
      this.#sending.delete(account);
      this.#wanted.delete(account);
    }
  }
}
