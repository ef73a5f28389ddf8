// The page shows what the command line prints, whether values are written as YAML or filled into the form.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertSame, choose, commandLine, output, settled, start, valueSets, valuesText, write } from './support/browser.mjs';
import { canSay, exampleSets, fillIn, formOf, readValues } from './support/person.mjs';

let site;
before(async () => { site = await start(); });
after(() => site?.end());

for (const [name, title] of [['supervisor', 'Pinniped Supervisor'], ['concierge', 'Pinniped Concierge']]) {
  for (const version of ['0.39.0', '0.25.0']) {
    const address = `pinniped/${name}@${version}`;

    // The older version's sets are tried by the form alone, which shows the same and takes the longer way.
    if (version === '0.39.0') test(`${address}: the page shows what the command line prints`, async () => {
      const { page, close } = await site.open();
      await choose(page, title, version);
      const sets = [...valueSets(version, name), ...exampleSets(formOf(address).root)];
      assert.ok(sets.length >= 25, `25 value sets, found ${sets.length}`);
      for (const [file, text] of sets) {
        await write(page, text);
        await assertSame(page, address, text, file);
      }
      await close();
    });

    test(`${address}: values filled into the form give what the command line prints`, async () => {
      const { page, close } = await site.open();
      await choose(page, title, version);
      const form = formOf(address);
      let filled = 0;
      for (const [file, text] of valueSets(version, name)) {
        const wanted = readValues(text);
        if (!wanted || !canSay(form.root, wanted)) continue;
        filled += 1;
        await fillIn(page.locator('#form'), form.root.fields, wanted);
        await settled(page);
        const here = await valuesText(page);
        const expected = await assertSame(page, address, here, file);
        const there = commandLine(address, text);
        assert.equal(expected.code, there.code, file);
        assert.equal(expected.out, there.out, file);
        const again = page.getByRole('button', { name: 'Start again' });
        if (await again.isEnabled()) await again.click();
        assert.equal(await valuesText(page), '', `${file}: ‘Start again’ leaves nothing`);
      }
      assert.ok(filled >= 18, `18 sets that the form can say, found ${filled}`);
      await close();
    });
  }
}

test('text that is no YAML, and a folder of bytes, break nothing', async () => {
  const { page, close } = await site.open();
  for (const text of ['a: [', '\t', '{'.repeat(5000), 'a: &a [*a]', '--- 1\n--- 2\n', '"\\ud800"', '#@ load("x")\n', '- 1\n', '1: 2\n', '__proto__: {a: 1}\n']) {
    await write(page, text);
    await assertSame(page, 'pinniped/supervisor', text, text.slice(0, 20));
  }
  await write(page, 'replicas: 3\n');
  assert.match(await output(page), /replicas: 3/);
  await close();
});
