// Switches that save at once. What is shown is what is wanted until the server has said yes or no; a no puts back what
// was there. Quick clicks on one member go out one after the other, each with the whole set.

import { SvelteMap } from 'svelte/reactivity';
import type { Member } from '$lib/api/schema';
import { withItem } from '$lib/groups';

interface Effects {
  save: (account: string, permissions: string[]) => Promise<unknown>;
  /** Resolves when the pages show what was saved. */
  saved: (member: Member) => Promise<unknown>;
  failed: (member: Member, cause: unknown) => void;
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
      let sent: string[];
      do {
        sent = this.#wanted.get(account)!;
        await this.#effects.save(account, sent);
      } while (this.#wanted.get(account) !== sent);
      await this.#effects.saved(member);
    } catch (cause) {
      this.#effects.failed(member, cause);
    } finally {
      this.#sending.delete(account);
      this.#wanted.delete(account);
    }
  }
}
