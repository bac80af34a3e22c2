// Questions to the worker. One at a time: a new question, stop() or 30 seconds end the one before it.

const MOST_MILLISECONDS = 30000;

export class Stopped extends Error {}

export class Questions {
  #worker = null;
  #running = null;  // {id, resolve, reject, post, timer}
  #next = 1;

  constructor(url, busy) {
    Object.assign(this, {url, busy});
  }

  get isBusy() {
    return this.#running !== null;
  }

  /** Calls post(part, value) for every part of the answer. Rejects with the sentence of an error, or Stopped. */
  ask(question, post) {
    this.stop('');
    this.#worker ??= this.#started();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const seconds = MOST_MILLISECONDS / 1000;
      const timer = setTimeout(() => this.stop(`Stopped after ${seconds} seconds.`), MOST_MILLISECONDS);
      this.#running = {id, resolve, reject, post, timer};
      this.busy(true);
      this.#worker.postMessage({id, ...question});
    });
  }

  /** Ends the worker if it has a question; the next question starts another. */
  stop(reason = 'Stopped.') {
    if (!this.#running) return;
    this.#worker.terminate();
    this.#worker = null;
    this.#finish(({reject}) => reject(new Stopped(reason)));
  }

  #started() {
    const worker = new Worker(this.url, {type: 'module'});
    worker.onmessage = ({data: {id, part, value, done, error}}) => {
      if (id !== this.#running?.id) return;
      if (!done) this.#running.post(part, value);
      else this.#finish(({resolve, reject}) => (error === undefined ? resolve() : reject(new Error(error))));
    };
    worker.onerror = () => this.stop('The worker ended: it had no memory left, or could not start.');
    return worker;
  }

  #finish(how) {
    const running = this.#running;
    clearTimeout(running.timer);
    this.#running = null;
    this.busy(false);
    how(running);
  }
}
