/** `npm run bench`: measures each part beside its yardstick, in one run on one machine. `-- drain`, `-- http`, `--quick`. */
import { parseArgs } from 'node:util';
import { benchDrain } from './drain.ts';
import { startCluster, type Cluster } from './support/cluster.ts';
import { printTable, type Row } from './support/table.ts';

const BENCHES: Record<string, (cluster: Cluster, options: { quick: boolean }) => Promise<Row[]>> = {
  drain: benchDrain,
};

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(' and ')}.`);
  process.exit(2);
}

const cluster = await startCluster();
try {
  const rows: Row[] = [];
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.log(`${name} …`);
    rows.push(...(await bench(cluster, values)));
  }
  console.log();
  printTable(rows);
} finally {
  await cluster.stop();
}
