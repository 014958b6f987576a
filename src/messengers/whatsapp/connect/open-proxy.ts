import type { Agent } from 'node:http';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { SocksProxyAgent } from 'socks-proxy-agent';
import { ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';

/** The way to WhatsApp through a proxy. */
export interface Proxy {
  /** For connections and uploads. */
  agent: Agent;
  /** For downloads, which the client library makes by `fetch`. */
  dispatcher: Dispatcher;
}

/** How long the proxy may take to connect. */
const CONNECT_MS = 20_000;

/** `url` is `socks5://` or `http://`, also `https://`. The proxy looks up the names of hosts. */
export function openProxy(url: string): Proxy {
  if (!url.startsWith('socks5:'))
    return {
      agent: new HttpsProxyAgent(url, { timeout: CONNECT_MS }),
      dispatcher: new ProxyAgent({ uri: url, proxyTunnel: true }),
    };
  // `socks5h`: otherwise the names would be looked up here.
  const agent = new SocksProxyAgent(url.replace('socks5:', 'socks5h:'));
  return { agent, dispatcher: new Socks5ProxyAgent(url) };
}
