import { McpServer, type Transport } from '@modelcontextprotocol/server';
import { createClient } from '../../../clients/typescript/client.ts';
import { readVersion } from '../../platform/config/version.ts';
import { cutSentence } from '../../platform/errors/cut-sentence.ts';
import { registerTools, type ToolDeps } from './tools.ts';
import { INSTRUCTIONS } from './messages.ts';

/** Returns an MCP server that calls the API of the service at `url` as the owner of `token`. */
export function createMcpServer({ url, token, checked }: Omit<ToolDeps, 'campanile'> & { url: string }): McpServer {
  const { version } = readVersion();
  const server = new McpServer({ name: 'campanile', title: 'Campanile', version }, { instructions: INSTRUCTIONS });
  registerTools(server, { campanile: createClient({ url, token }), token, checked });
  const connect = server.connect.bind(server);
  server.connect = (transport) => connect(cutErrors(transport));
  return server;
}

/** The SDK quotes the names of unknown tools and methods in full. */
function cutErrors(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    send(
      'error' in message
        ? { ...message, error: { ...message.error, message: cutSentence(message.error.message) } }
        : message,
      options,
    );
  return transport;
}
