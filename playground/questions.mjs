// Questions to the worker. One at a time: a new question, stop() or 30 seconds end the one before it. The seconds in
// which it waits for the program to be loaded do not count.

import {loadProgram} from './program.mjs';
import {newWorker} from './stored_files.mjs';

const MOST_MILLISECONDS = 30000;

export class Stopped extends Error {}
export class TimedOut extends Stopped {}

export class Questions {
  #worker = null;
  #loads = false;
  #program;  // once loaded: what loadProgram gave
  #running = null;  // {id, resolve, reject, post, timer, waits}
  #next = 1;

  /**
   * Calls busy(sentence) while a question is answered or waits, busy('') at its end; known(version) of the program, and
   * before it loading(sentence).
   */
  constructor(busy, known, loading) {
    Object.assign(this, {busy, known, loading});
  }

  /** Calls post(part, value) for every part of the answer. Rejects with the sentence of an error, or Stopped. */
  ask(question, post) {
    this.stop('');
    this.#worker ??= this.#started();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#running = {id, resolve, reject, post};
      this.#count();
      this.#worker.postMessage({id, ...question});
    });
  }

  /** Ends the worker if it has a question; the next question starts another. */
  stop(reason = 'Stopped.', Kind = Stopped) {
    if (!this.#running) return;
    this.#end();
    this.#finish(({reject}) => reject(new Kind(reason)));
  }

  /** Loads the program, unless that has begun. */
  async load() {
    if (this.#loads) return;
    this.#loads = true;
    this.#program = await loadProgram((bytes) => {
      const sentence = `The program is loading: ${(bytes / 1e6).toFixed(1)} MB …`;
      this.loading(sentence);
      if (this.#running?.waits) this.busy(sentence);
    });
    if (this.#worker) this.#worker.postMessage({loaded: this.#program});
    else this.#worker = this.#started();
  }

  #count() {
    const seconds = MOST_MILLISECONDS / 1000;
    this.#running.timer = setTimeout(() => this.stop(`Stopped after ${seconds} seconds.`, TimedOut), MOST_MILLISECONDS);
    this.busy('Running …');
  }

  #started() {
    const worker = newWorker();
    worker.onmessage = ({data: {id, part, value, done, error, fatal, waits, version}}) => {
      if (version) this.known(version);
      if (id === undefined || id !== this.#running?.id) return;
      if (waits) {
        clearTimeout(this.#running.timer);
        this.#running.waits = true;
        this.busy('The program is loading …');
        this.load();
      } else if (waits === false) {
        this.#running.waits = false;
        this.#count();
      } else if (!done) {
        this.#running.post(part, value);
      } else {
        if (fatal) this.#end();
        this.#finish(({resolve, reject}) => (error === undefined ? resolve() : reject(new Error(error))));
      }
    };
    worker.onerror = () => this.stop('The worker ended: it had no memory left, or could not start.');
    if (this.#program !== undefined) worker.postMessage({loaded: this.#program});
    return worker;
  }

  #end() {
    this.#worker.terminate();
    this.#worker = null;
  }

  #finish(how) {
    const running = this.#running;
    clearTimeout(running.timer);
    this.#running = null;
    this.busy('');
    how(running);
  }
}
