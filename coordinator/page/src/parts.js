// Small parts that all pages share.
const $ = id => document.getElementById(id);
const make = (name, text, type) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (type) element.className = type;
  return element;
};
const percent = rate => rate === null ? "-" : (100 * rate).toFixed(1) + "%";
