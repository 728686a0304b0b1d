// Vega comes as CommonJS modules, and a browser has no `require`. Each module is kept here until another one requires
// it.
const waiting_modules = new Map();
const loaded_modules = new Map();

function define_module(name, body) {
  waiting_modules.set(name, body);
}

function require_module(name) {
  if (name === "vega-selections") name = "vega-selection";
  if (loaded_modules.has(name)) return loaded_modules.get(name);
  const module = {exports: {}};
  loaded_modules.set(name, module.exports);
  waiting_modules.get(name)(module.exports, module, require_module);
  return module.exports;
}
