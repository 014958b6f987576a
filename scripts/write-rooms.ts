/** Writes docs/reference/rooms.md from the rules that the architecture test checks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { roomsPage } from '../test/support/architecture.ts';

writeFileSync(join(import.meta.dirname, '../docs/reference/rooms.md'), roomsPage());
