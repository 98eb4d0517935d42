// Keys for the queue: j and k move between proposals, a, r and l choose. Nothing is sent but by the button.
"use strict";

const cards = [...document.querySelectorAll("fieldset.card")];
let at = -1;

function go(step) {
  if (!cards.length) return;
  at = Math.max(0, Math.min(cards.length - 1, at + step));
  const first = cards[at].querySelector("input[type=radio], a");
  cards[at].scrollIntoView({ block: "nearest" });
  first.focus();
}

function choose(word) {
  const radio = at < 0 ? null : cards[at].querySelector(`input[type=radio][value=${word}]`);
  if (radio) radio.checked = true;
}

const keys = { j: () => go(1), k: () => go(-1), a: () => choose("approve"), r: () => choose("reject"), l: () => choose("leave") };

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input[type=text], input[type=search], input[type=date], select, textarea");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});

document.addEventListener("focusin", (event) => {
  const card = event.target.closest("fieldset.card");
  if (card) at = cards.indexOf(card);
});
