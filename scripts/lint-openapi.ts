/** Holds the service's description of itself against the rules of Redocly and Spectral: `npm run check`. Needs no database and no network. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Spectral, type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { readDocument } from '../test/support/http/own-document.ts';

const text = JSON.stringify(await readDocument());
const problems = [...(await askRedocly(text)), ...(await askSpectral(text))];
process.stderr.write(problems.map((problem) => `${problem}\n`).join(''));
process.exitCode = problems.length === 0 ? 0 : 1;

async function askRedocly(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // `default` stands for the failures that all operations have in common.
      'operation-4xx-response': 'off',
    },
  });
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return found.map(({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ''}: ${message}`);
}

async function askSpectral(source: string): Promise<string[]> {
  const spectral = new Spectral();
  spectral.setRuleset({
    extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']],
    rules: {
      // Knows scopes of OAuth only. OpenAPI 3.1 allows role names for every scheme. Redocly checks the names of the schemes.
      'oas3-operation-security-defined': 'off',
      // Reads patterns without the Unicode flag. Redocly checks the examples.
      'oas3-valid-media-example': 'off',
    },
  });
  const found = await spectral.run(source);
  return found.map(({ code, message, path }) => `spectral ${code} ${path.join('.')}: ${message}`);
}
