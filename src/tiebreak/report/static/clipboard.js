/* Copying under any address, file: included, where the clipboard may be out of reach. */

const live = document.getElementById("live");

function announce(text) {
  live.textContent = "";
  live.textContent = text;
}

async function copyText(text, button) {
  if (!((await byClipboard(text)) || bySelection(text))) {
    byHand(text);
    return;
  }
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  button.textContent = "Copied";
  announce(`Copied ${text.length.toLocaleString("en")} characters of JSON`);
  setTimeout(() => { button.textContent = label; }, 1500);
}

async function byClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function bySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
  }
}

function byHand(text) {
  const dialog = document.getElementById("by-hand");
  const area = dialog.querySelector("textarea");
  area.value = text;
  dialog.showModal();
  area.select();
}
