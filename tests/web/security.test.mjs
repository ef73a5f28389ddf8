// What a template, a link or an archive cannot do to the page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onDisk, openOwn, output, settled, start } from './support/browser.mjs';

let site;
before(async () => { site = await start(); });
after(() => site?.end());

test('what templates give is text, never markup', async () => {
  const { page, close } = await site.open();
  const attack = '<img src=x onerror="document.title = \'taken\'"><script>document.title = "taken"</script>';
  const folder = onDisk({
    'app/config.yml': `#@ load("@ytt:data", "data")\nresult: '${attack.replaceAll("'", "''")}'\n'${'<b>key</b>'}': #@ data.values.name\n`,
    'app/schema.yml': `#@data/values-schema\n---\n#@schema/title '${attack.replaceAll("'", '')}'\n#@schema/desc "<b id='bold'>x</b>"\nname: "<i id='slanted'>"\n`,
    'fails/config.yml': `#@ fail("<u id='under'>broken</u>")\n`,
  });
  await openOwn(page, join(folder, 'app'), 'Open a folder…');
  assert.match(await output(page), /<img src=x onerror=/);
  await openOwn(page, join(folder, 'fails'), 'Open a folder…');
  assert.match(await page.locator('#errors').textContent(), /<u id='under'>broken/);
  assert.equal(await page.locator('#bold, #slanted, #under, img[src=x]').count(), 0);
  assert.notEqual(await page.title(), 'taken');
  await close();
});

test('the policy lets the page speak to nobody else, and take no foreign script', async () => {
  const { page, context } = await site.open();
  const tried = await page.evaluate(async () => {
    const blocked = [];
    document.addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective));
    // Port 9 discards; the policy stops the request before it is one.
    const fetched = await fetch('http://127.0.0.1:9/').then(() => 'answered', () => 'refused');
    const script = Object.assign(document.createElement('script'), { textContent: 'document.title = "taken"' });
    document.body.append(script, Object.assign(new Image(), { src: 'http://127.0.0.1:9/a.png' }));
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    return { fetched, blocked: [...new Set(blocked)].sort(), title: document.title };
  });
  await context.close();
  assert.equal(tried.fetched, 'refused');
  assert.notEqual(tried.title, 'taken');
  assert.deepEqual(tried.blocked, ['connect-src', 'img-src', 'script-src-elem']);
});

test('a broken or foreign link opens the page all the same', async () => {
  for (const fragment of ['#p=..%2F..%2Fetc%2Fpasswd', '#p=pinniped%2F..%2Fx&v=AAAA', '#%E0%A4%A', '#v=' + 'A'.repeat(5000), '#__proto__=1', '#p=<img src=x onerror=alert(1)>']) {
    const { page, close } = await site.open({ fragment });
    await settled(page);
    assert.match(await output(page), /kind: Deployment/, fragment);
    assert.equal(await page.locator('img[src=x]').count(), 0);
    await close();
  }
});

test('names in archives lead nowhere', async () => {
  const { page, close } = await site.open();
  const folder = onDisk({});
  execFileSync('python3', ['-c', `
import sys, zipfile, tarfile, io
with zipfile.ZipFile(sys.argv[1] + '/a.zip', 'w') as z:
    z.writestr('../../evil.yml', 'evil: 1\\n'); z.writestr('app/a.yml', 'a: 1\\n')
with tarfile.open(sys.argv[1] + '/a.tar', 'w') as t:
    for name, kind in (('../../evil.yml', tarfile.REGTYPE), ('app/link.yml', tarfile.SYMTYPE), ('app/a.yml', tarfile.REGTYPE)):
        entry = tarfile.TarInfo(name); entry.type = kind; entry.linkname = '/etc/passwd'
        data = b'' if kind == tarfile.SYMTYPE else b'a: 1\\n'; entry.size = len(data); t.addfile(entry, io.BytesIO(data))
`, folder]);
  for (const name of ['a.zip', 'a.tar']) {
    await openOwn(page, [join(folder, name)]);
    // Refused or read: nothing of another place is shown, and the page goes on.
    assert.doesNotMatch(await output(page), /root:/, name);
  }
  await page.reload();
  await settled(page);
  await close();
});

test('more than 20 MB is refused, also where it is little before it is unpacked', async () => {
  const { page, close } = await site.open();
  const before = await output(page);
  const folder = onDisk({ 'large.yml': `a: ${'x'.repeat(21 << 20)}\n`, 'half.yml': `a: ${'x'.repeat(11 << 20)}\n`, 'other.yml': `b: ${'x'.repeat(11 << 20)}\n`, 'small.yml': 'a: 1\n' });
  execFileSync('tar', ['-czf', join(folder, 'large.tgz'), '-C', folder, 'large.yml']);
  execFileSync('python3', ['-c', "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1] + '/large.zip', 'w', zipfile.ZIP_DEFLATED) as z: z.write(sys.argv[1] + '/large.yml', 'large.yml')", folder]);
  for (const names of [['large.yml'], ['half.yml', 'other.yml'], ['large.tgz'], ['large.zip']]) {
    await openOwn(page, names.map((name) => join(folder, name)));
    await page.getByText('more than 20 MB').waitFor();
    assert.equal(await output(page), before, names.join());
    await page.locator('#notice').evaluate((notice) => { notice.hidden = true; });
  }
  await openOwn(page, [join(folder, 'small.yml')]);
  assert.equal(await output(page), 'a: 1\n');
  await close();
});
