// Runes only: code in the style of Svelte 4 does not compile.
export default { compilerOptions: { runes: true } };
