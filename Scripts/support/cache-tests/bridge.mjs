// Runs the public suite http-tests/cache-tests with Lull instead of `fetch`. The suite's own code
// makes the requests, serves them and judges the responses.
//
//   node bridge.mjs FOLDER BASE-URL PROGRAM MODE METHOD
//
// FOLDER is a checkout of the suite, whose server listens at BASE-URL. PROGRAM is the command lull,
// which runs client.lua. That script gets its requests from a server in this program. MODE is
// memory, where one service makes all requests of a test, or file, where each request has its own
// service and they share a cache file. METHOD is GET, or QUERY or POST: then each GET of the suite
// is a query with its own content, sent by this method. Prints a JSON object: the ID of each
// test → its kind and the suite's result.

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [folder, base, program, mode, method] = process.argv.slice(2)
const part = path => import(pathToFileURL(join(folder, path)))
const { default: suites } = await part('tests/index.mjs')
const { runTests, getResults } = await part('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes } = await part('test-engine/lib/results.mjs')

const jobs = []
const waiting = []
const running = new Map()
let count = 0

function hand (job) {
  const response = waiting.shift()
  if (response) response.end(JSON.stringify(job))
  else jobs.push(job)
}

const original = globalThis.fetch
globalThis.fetch = async (url, init = {}) => {
  const path = String(url).slice(base.length)
  if (!path.startsWith('/test/')) return original(url, init)
  const id = ++count
  const answer = await new Promise((resolve, reject) => {
    running.set(id, resolve)
    init.signal?.addEventListener('abort', () => reject(new DOMException('too late', 'AbortError')))
    hand({
      id,
      test: path.split('/')[2].split('?')[0],
      path,
      method: init.method ?? 'GET',
      headers: init.headers ?? [],
      body: init.body,
      // Options of fetch other than headers.
      reload: ['no-store', 'reload', 'no-cache'].includes(init.cache)
    })
  })
  if (answer.problem) throw new TypeError(answer.problem)
  return { status: answer.status, headers: new Headers(answer.headers), text: async () => answer.body }
}

const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json')
  if (request.method === 'GET') {
    const job = jobs.shift()
    if (job) response.end(JSON.stringify(job))
    else waiting.push(response)
    return
  }
  let text = ''
  request.setEncoding('utf8')
  request.on('data', piece => { text += piece })
  request.on('end', () => {
    const answer = JSON.parse(text)
    running.get(answer.id)?.(answer)
    running.delete(answer.id)
    response.end('{}')
  })
})
server.keepAliveTimeout = 0
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))

const script = join(dirname(fileURLToPath(import.meta.url)), 'client.lua')
const own = `http://127.0.0.1:${server.address().port}`
const client = spawn(program, [script, own, base, mode, method], { stdio: ['ignore', 'inherit', 'inherit'] })
let isOver = false
client.on('exit', code => {
  if (isOver) return
  process.stderr.write(`client.lua has ended with exit code ${code}\n`)
  process.exit(1)
})

// As a private cache: tests for shared caches are left out, as for browsers.
await runTests(suites, true, base)
const results = getResults()
const report = {}
for (const suite of suites) {
  for (const test of suite.tests) {
    const result = determineTestResult(suites, test.id, results)
    const word = Object.keys(resultTypes).find(name => resultTypes[name] === result)
    report[test.id] = {
      suite: suite.id, kind: test.kind ?? 'required', result: word, name: test.name, why: results[test.id]?.[1]
    }
  }
}
isOver = true
hand({ over: true })
client.on('exit', code => process.stdout.write(JSON.stringify(report) + '\n', () => process.exit(code)))
