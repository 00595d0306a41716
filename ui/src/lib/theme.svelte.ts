// Light, dark, or whatever the system says. theme.js applies the stored choice before the first paint.

export type Choice = 'system' | 'light' | 'dark';
const KEY = 'theme';

function stored(): Choice {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system'; // storage is switched off: the choice lasts until the page is left
  }
}

class Theme {
  choice = $state<Choice>(stored());

  choose(choice: Choice) {
    this.choice = choice;
    const root = document.documentElement;
    if (choice === 'system') delete root.dataset.theme;
    else root.dataset.theme = choice;
    try {
      if (choice === 'system') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, choice);
    } catch {
      // see above
    }
  }
}

export const theme = new Theme();
