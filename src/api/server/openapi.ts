import type { FastifySchema } from 'fastify';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { z } from 'zod';
import { readVersion } from '../../platform/config/version.ts';
import type { Access, OperationContract, Tag } from '../contract/define-operations.ts';
import { success } from '../contract/envelope.ts';
import { describeOperations } from './describe-operations.ts';
import type { OpenApiDocument } from './document-types.ts';
import { describeWebhooks } from './describe-webhooks.ts';
import { mergeInputs, nameSchemas, simplify, withoutUnused } from './document-schemas.ts';

const ACCESS: Readonly<Record<Access, string>> = {
  open: 'Takes no token.',
  read: 'Scope: `read`.',
  send: 'Scope: `send`.',
  admin: 'Scope: `admin`.',
  token: 'Takes no API key.',
};
const TAGS: Readonly<Record<Tag | 'Events', string>> = {
  Users: 'Sign-up, sign-in, profile, second factors, sessions and API keys.',
  Campaigns: 'Campaigns that are sent now or on a schedule, their runs, drafts and files.',
  Media: 'Files of your workspace: upload them once and use them in any campaign.',
  Groups: 'Groups, communities and channels, and saved lists of them.',
  Account: 'The link to the messaging application, and the rules for sending.',
  Analytics: 'Deliveries, receipts and reactions.',
  Webhooks:
    'Endpoints that receive events as POST requests of `{type, timestamp, data}`, following [Standard Webhooks](https://www.standardwebhooks.com/). Verify the signature of each message and answer 2xx within 15 s. `docs/how-to/receive-webhooks.md`, which comes with the service, has receivers in JavaScript and Python.',
  Notices: 'Notices of events, in the dashboard, in browsers and by e-mail.',
  Sandbox: 'Messages on the sandbox, the messaging application for tests.',
  Administration: 'For administrators: users, invitations and the installation.',
  Events: 'A stream of live events.',
};
const DESCRIPTION = `Messaging campaigns for groups, communities and channels. All operations are POST requests with a JSON body, except the stream of live events and the upload of a file.

Every answer has the header \`x-request-id\`: the id of the request in the log.

An answer has the header \`x-campanile-warnings\` if parts of the request were ignored, such as an unknown field: quoted sentences, separated by commas. In brackets they are a JSON array. With the request header \`Prefer: handling=strict\` such a request is a 400.`;

const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of `authorize_user`.' },
  api_key: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of `create_api_key`. The required scope of the key stands beside the scheme.',
  },
} as const;

/** Returns the Fastify schema of an operation: for validation and for the document. */
export function routeSchema(operation: OperationContract): FastifySchema {
  const { access, answerType, body, data, path, summary, tag, takesFile } = operation;
  const answer = answerType
    ? { [answerType]: { schema: answerType === '*/*' ? z.string().meta({ format: 'binary' }) : z.string() } }
    : { 'application/json': { schema: success(data) } };
  return {
    operationId: operation.operationId ?? path.slice(path.lastIndexOf('/') + 1),
    tags: [tag],
    summary,
    ...describe(operation),
    ...(takesFile && { consumes: ['application/octet-stream'] }),
    body,
    response: { 200: { description: 'Success', content: answer } },
    security: securityOf(access),
  };
}

/** Returns the credentials that an operation accepts: any of them. The scopes of an API key are the roles of OpenAPI 3.1. */
export function securityOf(access: Access): Array<Record<string, string[]>> {
  if (access === 'open') return [];
  return access === 'token' ? [{ token: [] }] : [{ token: [] }, { api_key: [access] }];
}

function describe({ access, description, requiresRecentAuth }: OperationContract): { description: string } {
  const sentences = [description, ACCESS[access], requiresRecentAuth && RECENT_AUTH];
  return { description: sentences.filter((sentence) => typeof sentence === 'string').join('\n\n') };
}

const RECENT_AUTH = 'The token needs an authentication within the last 10 minutes: see `user/confirm_identity`.';

/**
 * Returns the options for @fastify/swagger to generate the document. `serverUrl` is the address of the API; `isLimited` says whether
 * all requests of a user are rate limited.
 */
export function documentOptions(
  operations: readonly OperationContract[],
  { serverUrl, isLimited }: { serverUrl: string; isLimited: boolean },
): FastifyDynamicSwaggerOptions {
  const { version, commit } = readVersion();
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Campanile',
        version,
        ...(commit !== undefined && { 'x-commit': commit }),
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
        description: DESCRIPTION,
      },
      servers: [{ url: serverUrl }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transform: createJsonSchemaTransform({}),
    transformObject(generated) {
      const document = jsonSchemaTransformObject(generated) as OpenApiDocument;
      // The plugin's types have no webhooks.
      return completeDocument(document, operations, isLimited) as ReturnType<typeof jsonSchemaTransformObject>;
    },
  };
}

/** Adds what Fastify's route schemas cannot express. */
function completeDocument(
  document: OpenApiDocument,
  operations: readonly OperationContract[],
  isLimited: boolean,
): OpenApiDocument {
  const described = describeOperations(simplify(document), operations, isLimited);
  const { webhooks, parameters, responses } = describeWebhooks();
  const components = {
    ...described.components,
    parameters: { ...described.components.parameters, ...parameters },
    responses: { ...described.components.responses, ...responses },
  };
  return nameSchemas(withoutUnused(mergeInputs({ ...described, components, webhooks })));
}
