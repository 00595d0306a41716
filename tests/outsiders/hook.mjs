// An endpoint for webhooks that notes what it is sent.
import { createServer } from 'node:http';
import { until } from './world.mjs';

/** Starts an endpoint; `answer` may be changed, `next` waits for a letter that matches. */
export async function hook() {
  const letters = [];
  const own = { answer: 200, letters };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      letters.push({ body: Buffer.concat(chunks).toString(), signature: request.headers['stripe-signature'] });
      response.writeHead(own.answer).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  own.url = `http://127.0.0.1:${server.address().port}/hook`;
  own.next = (what, matches) => until(what, () => letters.find((letter) => matches(JSON.parse(letter.body))));
  own.close = () => server.closeAllConnections() ?? server.close();
  return own;
}
