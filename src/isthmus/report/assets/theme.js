"use strict";
// Light or dark: what the system says, unless somebody has chosen here.
{
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const remember = (theme) => {
    try {
      if (theme) localStorage.setItem("isthmus-theme", theme);
      return localStorage.getItem("isthmus-theme");
    } catch {
      return null; // no storage for files, in some browsers
    }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const chosen = remember();
  if (chosen) root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const tell = () => {
      button.textContent = isDark() ? "Light theme" : "Dark theme";
      document.dispatchEvent(new Event("theme"));
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      tell();
    });
    system.addEventListener("change", tell);
    tell();
  });
}
