/**
 * Returns JavaScript for the console of WhatsApp's page: it asks the browser for the passkey and prints the answer as JSON. Bytes are
 * encoded by hand, since the credentials of some password managers have no `toJSON`.
 */
export function passkeyLine(requestOptions: Readonly<Record<string, unknown>>): string {
  return [
    '(async()=>{',
    String.raw`const b=v=>v&&btoa(String.fromCharCode(...new Uint8Array(v))).replace(/\+/g,'-').replace(/\//g,'_').replace(/=+$/,'');`,
    `const c=await navigator.credentials.get({publicKey:PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(requestOptions)})});`,
    'const r=c.response;',
    'console.log(JSON.stringify({id:c.id,rawId:b(c.rawId),type:c.type,response:{clientDataJSON:b(r.clientDataJSON),',
    'authenticatorData:b(r.authenticatorData),signature:b(r.signature),userHandle:b(r.userHandle)}}))})()',
  ].join('');
}

/** Returns the object in what was copied from the console, also with the console's own marks around it; undefined if there is none. */
export function parsePasted(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
