// Unpacks the script of the page and runs it. The policy of the page allows the two by their hashes, and nothing else.
(async () => {
  const main = document.getElementById("main");
  try {
    const packed = Uint8Array.from(atob(document.getElementById("code").textContent.trim()), (letter) => letter.charCodeAt(0));
    const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
    const script = document.createElement("script");
    script.textContent = text;
    document.body.append(script);
  } catch (error) {
    main.textContent = "This browser cannot unpack this page. It needs Chrome or Edge 103, Firefox 113, Safari 16.4, or one that is newer.";
    console.error(error);
  }
})();
