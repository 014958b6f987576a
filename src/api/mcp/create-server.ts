import { McpServer } from '@modelcontextprotocol/server';
import { createClient } from '../../../clients/typescript/client.ts';
import { readVersion } from '../../platform/config/version.ts';
import type { CheckedCampaigns } from './checked-campaigns.ts';
import { registerTools } from './tools.ts';
import { INSTRUCTIONS } from './messages.ts';

/** Returns an MCP server that calls the API of the service at `url` as the owner of `token`. */
export function createMcpServer({
  url,
  token,
  checked,
}: {
  url: string;
  token: string;
  checked: CheckedCampaigns;
}): McpServer {
  const { version } = readVersion();
  const server = new McpServer({ name: 'campanile', title: 'Campanile', version }, { instructions: INSTRUCTIONS });
  registerTools(server, { campanile: createClient({ url, token }), token, checked });
  return server;
}
