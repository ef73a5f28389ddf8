// Firefox by WebDriver: as much of the protocol as a look at the page needs.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const tools = new URL('../../../.tools/bin/geckodriver', import.meta.url).pathname;
export const driver = process.env.GECKODRIVER ?? tools;
export const firefox = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
export const isHere = existsSync(driver) && existsSync(firefox);

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Starts Firefox: `{ go(address), type(label, text), click(xpath), run(script), until(script), end() }`. */
export async function startFirefox() {
  const server = spawn(driver, ['--port', '0', '--binary', firefox]);
  const port = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (chunk) => {
      said += chunk;
      const found = /Listening on 127\.0\.0\.1:(\d+)/.exec(said);
      if (found) resolve(found[1]);
    });
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`geckodriver ended with ${code}: ${said}`)));
  });
  const call = async (path, body, method = 'POST') => {
    const answer = await fetch(`http://127.0.0.1:${port}/session${path}`, { method, body: body && JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const { value } = await answer.json();
    if (value?.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  const { sessionId } = await call('', { capabilities: { alwaysMatch: { 'moz:firefoxOptions': { args: ['-headless'] } } } });
  const here = `/${sessionId}`;
  const element = async (xpath) => (await call(`${here}/element`, { using: 'xpath', value: xpath }))[ELEMENT];
  const run = (script) => call(`${here}/execute/sync`, { script: `return ${script}`, args: [] });
  return {
    run,
    go: (address) => call(`${here}/url`, { url: address }),
    /** Types into the field that has this label. */
    async type(label, text) {
      const labelled = `//*[@id = //label[normalize-space() = '${label}']/@for]`;
      await call(`${here}/element/${await element(labelled)}/value`, { text });
    },
    click: async (xpath) => call(`${here}/element/${await element(xpath)}/click`, {}),
    async until(script) {
      for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => { setTimeout(resolve, 50); })) {
        if (await run(script)) return;
      }
      throw new Error(`never: ${script}`);
    },
    async end() {
      await call(here, undefined, 'DELETE');
      server.kill();
    },
  };
}
