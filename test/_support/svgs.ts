/** Drawings as editors export them, shortened, with what they leave in: each has an orange shape over a blue one. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const exports: [editor: string, file: string][] = [
  [
    "Illustrator",
    `<?xml version="1.0" encoding="utf-8"?>
<!-- Generator: Adobe Illustrator 27.0.0, SVG Export Plug-In . SVG Version: 6.00 Build 0)  -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg version="1.1" id="Layer_1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" x="0px" y="0px"
	 width="120px" height="60px" viewBox="0 0 120 60" style="enable-background:new 0 0 120 60;" xml:space="preserve">
<style type="text/css">
	.st0{fill:#0B5FFF;}
	.st1{clip-path:url(#SVGID_2_);fill:url(#SVGID_3_);}
</style>
<metadata><sfw xmlns="http://ns.adobe.com/SaveForWeb/1.0/"><slices></slices></sfw></metadata>
<g id="Background"><rect class="st0" width="120" height="60"/></g>
<g>
	<defs><circle id="SVGID_1_" cx="60" cy="30" r="20"/></defs>
	<clipPath id="SVGID_2_"><use xlink:href="#SVGID_1_"  style="overflow:visible;"/></clipPath>
	<linearGradient id="SVGID_3_" gradientUnits="userSpaceOnUse" x1="40" y1="30" x2="80" y2="30">
		<stop  offset="0" style="stop-color:#FFA500"/><stop  offset="1" style="stop-color:#FF7F00"/>
	</linearGradient>
	<rect x="30" y="5" class="st1" width="60" height="50"/>
</g>
</svg>`,
  ],
  [
    "Illustrator for the web, with a prefix for its own data",
    `<svg id="Layer_1" data-name="Layer 1" xmlns="http://www.w3.org/2000/svg" xmlns:i="http://ns.adobe.com/AdobeIllustrator/10.0/" viewBox="0 0 120 60"><defs><style>.cls-1{fill:#0b5fff;}.cls-1,.cls-2{stroke-width:0px;}.cls-2 > *{fill:#ffa500;}</style></defs><switch><foreignObject requiredExtensions="http://ns.adobe.com/AdobeIllustrator/10.0/" x="0" y="0" width="1" height="1"><i:aipgfRef xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#adobe_illustrator_pgf"/></foreignObject><g i:extraneous="self"><rect class="cls-1" width="120" height="60"/><g class="cls-2"><circle cx="60" cy="30" r="20"/></g></g></switch><i:aipgf id="adobe_illustrator_pgf" i:pgfEncoding="zstd/base64">KLUv/QBYhA4A</i:aipgf></svg>`,
  ],
  [
    "Inkscape",
    `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with Inkscape (http://www.inkscape.org/) -->

<svg
   width="120"
   height="60"
   viewBox="0 0 120 60"
   version="1.1"
   id="svg5"
   inkscape:version="1.2.2 (b0a8486541, 2022-12-01)"
   sodipodi:docname="logo.svg"
   inkscape:export-filename="/home/ann/logo.png"
   xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
   xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
   xmlns:xlink="http://www.w3.org/1999/xlink"
   xmlns="http://www.w3.org/2000/svg"
   xmlns:svg="http://www.w3.org/2000/svg"
   xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
   xmlns:cc="http://creativecommons.org/ns#"
   xmlns:dc="http://purl.org/dc/elements/1.1/">
  <title
     id="title1">Logo &amp; mark</title>
  <sodipodi:namedview id="namedview7" pagecolor="#ffffff" inkscape:zoom="0.75"><inkscape:grid type="xygrid" id="grid9" /></sodipodi:namedview>
  <defs id="defs2">
    <linearGradient inkscape:collect="always" id="a"><stop style="stop-color:#ffa500" offset="0" id="stop1" /></linearGradient>
    <radialGradient inkscape:collect="always" xlink:href="#a" id="b" cx="60" cy="30" r="20" gradientUnits="userSpaceOnUse" />
    <inkscape:path-effect effect="spiro" id="path-effect1" />
  </defs>
  <metadata id="metadata5"><rdf:RDF><cc:Work rdf:about=""><dc:format>image/svg+xml</dc:format><dc:creator><cc:Agent><dc:title>Ann</dc:title></cc:Agent></dc:creator></cc:Work></rdf:RDF></metadata>
  <g inkscape:label="Layer 1" inkscape:groupmode="layer" id="layer1">
    <rect style="fill:#0b5fff;-inkscape-stroke:none" id="rect1" width="120" height="60" />
    <path style="fill:url(#b);stroke-width:0.26458332" d="M 80,30 A 20,20 0 0 1 60,50 20,20 0 0 1 40,30 20,20 0 0 1 60,10 20,20 0 0 1 80,30 Z" id="path1" sodipodi:nodetypes="ccccc" inkscape:connector-curvature="0" onclick="" />
    <text xml:space="preserve" style="font-size:10.6667px;line-height:1.25;font-family:sans-serif;-inkscape-font-specification:sans-serif" x="2" y="58" id="text1"><tspan sodipodi:role="line" id="tspan1" x="2" y="58">A &lt; B</tspan></text>
  </g>
</svg>`,
  ],
  [
    "Figma, with an image in it",
    `<svg width="120" height="60" viewBox="0 0 120 60" fill="none" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<g clip-path="url(#clip0_1_2)" filter="url(#filter0_d_1_2)">
<rect width="120" height="60" fill="#0B5FFF"/>
<path fill-rule="evenodd" clip-rule="evenodd" d="M60 10C71.0457 10 80 18.9543 80 30C80 41.0457 71.0457 50 60 50C48.9543 50 40 41.0457 40 30C40 18.9543 48.9543 10 60 10Z" fill="url(#paint0_linear_1_2)"/>
<rect x="2" y="2" width="8" height="8" fill="url(#pattern0)"/>
</g>
<defs>
<filter id="filter0_d_1_2" x="-4" y="0" width="128" height="68" filterUnits="userSpaceOnUse" color-interpolation-filters="sRGB">
<feFlood flood-opacity="0" result="BackgroundImageFix"/>
<feColorMatrix in="SourceAlpha" type="matrix" values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 127 0" result="hardAlpha"/>
<feOffset dy="4"/><feGaussianBlur stdDeviation="2"/><feComposite in2="hardAlpha" operator="out"/>
<feBlend mode="normal" in2="BackgroundImageFix" result="effect1_dropShadow_1_2"/>
<feBlend mode="normal" in="SourceGraphic" in2="effect1_dropShadow_1_2" result="shape"/>
</filter>
<pattern id="pattern0" patternContentUnits="objectBoundingBox" width="1" height="1"><use xlink:href="#image0_1_2" transform="scale(0.125)"/></pattern>
<linearGradient id="paint0_linear_1_2" x1="40" y1="30" x2="80" y2="30" gradientUnits="userSpaceOnUse"><stop stop-color="#FFA500"/><stop offset="1" stop-color="#FF7F00"/></linearGradient>
<clipPath id="clip0_1_2"><rect width="120" height="60" fill="white"/></clipPath>
<image id="image0_1_2" width="8" height="8" xlink:href="data:image/png;base64,${PNG}"/>
</defs>
</svg>`,
  ],
  [
    "Sketch",
    `<?xml version="1.0" encoding="UTF-8"?>
<svg width="120px" height="60px" viewBox="0 0 120 60" version="1.1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
    <!-- Generator: Sketch 52.6 (67491) - http://www.bohemiancoding.com/sketch -->
    <title>logo</title>
    <desc>Created with Sketch.</desc>
    <defs><path d="M40,10 L80,10 L80,50 L40,50 Z" id="path-1"></path></defs>
    <g id="Page-1" stroke="none" stroke-width="1" fill="none" fill-rule="evenodd">
        <rect fill="#0B5FFF" x="0" y="0" width="120" height="60"></rect>
        <mask id="mask-2" fill="white"><use xlink:href="#path-1"></use></mask>
        <use id="Mask" fill="#FFA500" fill-rule="nonzero" xlink:href="#path-1"></use>
        <g mask="url(#mask-2)"><circle fill="#FF7F00" cx="60" cy="30" r="10"></circle></g>
    </g>
</svg>`,
  ],
  [
    "CorelDRAW",
    `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<!-- Creator: CorelDRAW 2020 (64-Bit) -->
<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="1.25in" height="0.625in" version="1.1" style="shape-rendering:geometricPrecision; text-rendering:geometricPrecision; image-rendering:optimizeQuality; fill-rule:evenodd; clip-rule:evenodd"
viewBox="0 0 120 60"
 xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:xodm="http://www.corel.com/coreldraw/odm/2003">
 <defs>
  <style type="text/css">
   <![CDATA[
    .fil0 {fill:#0B5FFF}
    g > .fil1 {fill:#FFA500}
   ]]>
  </style>
 </defs>
 <g id="Layer_x0020_1">
  <metadata id="CorelCorpID_0Corel-Layer"/>
  <rect class="fil0" width="120" height="60"/>
  <polygon class="fil1" points="40,10 80,10 60,50 "/>
 </g>
</svg>`,
  ],
  [
    "Affinity Designer",
    `<?xml version="1.0" encoding="UTF-8" standalone="no"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg width="100%" height="100%" viewBox="0 0 120 60" version="1.1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xml:space="preserve" xmlns:serif="http://www.serif.com/" style="fill-rule:evenodd;clip-rule:evenodd;stroke-linejoin:round;stroke-miterlimit:2;"><rect id="Artboard1" serif:id="Artboard1" x="0" y="0" width="120" height="60" style="fill:rgb(11,95,255);"/><g transform="matrix(1,0,0,1,40,10)"><path id="a" serif:id="the shape" d="M0,0L40,0L40,40L0,40L0,0Z" style="fill:url(#_Linear1);"/></g><defs><linearGradient id="_Linear1" x1="0" y1="0" x2="1" y2="0" gradientUnits="userSpaceOnUse" gradientTransform="matrix(40,0,0,40,0,0)"><stop offset="0" style="stop-color:rgb(255,165,0);stop-opacity:1"/></linearGradient></defs></svg>`,
  ],
  [
    "a tool that prefixes everything",
    `<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" width="120" height="60"><s:style>.a { fill: #0b5fff }</s:style><s:defs><s:circle id="c" cx="60" cy="30" r="20" fill="#ffa500"/></s:defs><s:rect class="a" width="120" height="60"/><s:use x:href="#c"/></s:svg>`,
  ],
  [
    "somebody who left a script and handlers in",
    `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60" onload="start()"><script type="text/javascript"><![CDATA[ function start() { console.log("a < b") } ]]></script><rect width="120" height="60" fill="#0b5fff" onclick="window.open('https://example.com')"/><a href="https://example.com/" target="_blank"><circle cx="60" cy="30" r="20" fill="#ffa500"/></a></svg>`,
  ],
];

const SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40"';
const run = "parent.ran?.('RUN');window.ran?.('RUN')";
/** The same where quotes and brackets would get in the way. */
const js = `javascript:${run}`;
const page = Buffer.from(`<script>${run}</script>`).toString("base64");

/** Drawings that try to run `ran()`, whole files; a space stands before what is meant to work only once it is pasted into HTML. */
export const attacks: string[] = [
  `<svg ${SVG}><script>${run}</script></svg>`,
  `<svg ${SVG}><script><![CDATA[${run}]]></script></svg>`,
  `<svg ${SVG}><script href="data:text/javascript,${run}"/></svg>`,
  `<svg ${SVG}><script xlink:href="data:text/javascript,${run}"/></svg>`,
  `<svg ${SVG} onload="${run}"/>`,
  `<svg ${SVG} onLoad="${run}"/>`,
  `<svg ${SVG}><g onfocus="${run}" tabindex="0" autofocus="autofocus"><rect width="9" height="9"/></g></svg>`,
  `<svg ${SVG}><set attributeName="x" onbegin="${run}" dur="1s"/></svg>`,
  `<svg ${SVG}><animate attributeName="x" onbegin="${run}" dur="1s"/></svg>`,
  `<svg ${SVG}><image href="x" onerror="${run}"/></svg>`,
  `<svg ${SVG}><image href="data:image/png;base64,${PNG}" onload="${run}"/></svg>`,
  `<svg ${SVG}><style onload="${run}">a{}</style></svg>`,
  `<svg ${SVG}><x:script xmlns:x="http://www.w3.org/2000/svg">${run}</x:script></svg>`,
  `<svg ${SVG}><h:script xmlns:h="http://www.w3.org/1999/xhtml">${run}</h:script></svg>`,
  `<svg ${SVG}><script xmlns="http://www.w3.org/1999/xhtml">${run}</script></svg>`,
  `<svg ${SVG}><g xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="${run}"/></g></svg>`,
  `<svg ${SVG}><h:img xmlns:h="http://www.w3.org/1999/xhtml" src="x" onerror="${run}"/></svg>`,
  `<svg ${SVG}><h:iframe xmlns:h="http://www.w3.org/1999/xhtml" src="${js}"/></svg>`,
  `<svg ${SVG}><h:iframe xmlns:h="http://www.w3.org/1999/xhtml" srcdoc="&lt;script>${run}&lt;/script>"/></svg>`,
  `<svg ${SVG}><foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml" onload="${run}"><img src="x" onerror="${run}"/></body></foreignObject></svg>`,
  `<svg ${SVG}><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="data:text/html;base64,${page}"/></foreignObject></svg>`,
  `<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>${run}</s:script></s:svg>`,
  `<?xml version="1.0"?><s:svg xmlns:s="http://www.w3.org/2000/svg" onload="${run}"/>`,
  `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xml;base64,${Buffer.from(
    `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><h:script xmlns:h="http://www.w3.org/1999/xhtml">${run}</h:script></xsl:template></xsl:stylesheet>`,
  ).toString("base64")}"?><svg ${SVG}/>`,
  `<svg ${SVG}><a href="${js}"><rect width="40" height="40"/></a></svg>`,
  `<svg ${SVG}><a xlink:href="${js}"><rect width="40" height="40"/></a></svg>`,
  `<svg ${SVG}><a xlink:href="&#106;ava&#9;scr&#10;ipt:${run}"><rect width="40" height="40"/></a></svg>`,
  `<svg ${SVG}><a xmlns:q="http://www.w3.org/1999/xlink" q:href="${js}"><rect width="40" height="40"/></a></svg>`,
  `<svg ${SVG}><a><animate attributeName="href" values="${js}" dur="9s" fill="freeze"/><rect width="40" height="40"/></a></svg>`,
  `<svg ${SVG}><a><set attributeName="href" to="${js}"/><rect width="40" height="40"/></a></svg>`,
  `<svg ${SVG}><a id="l"><rect width="40" height="40"/></a><set href="#l" attributeName="href" to="${js}"/></svg>`,
  `<svg ${SVG}><a><animate attributeName=" xlink:href " from="${js}" to="${js}" dur="9s"/><rect width="40" height="40"/></a></svg>`,
  `<svg ${SVG}><rect width="40" height="40"><set attributeName="onclick" to="${run}"/></rect></svg>`,
  `<svg ${SVG}><rect width="40" height="40" onclick="${run}" onmousedown="${run}" onpointerdown="${run}"/></svg>`,
  `<svg ${SVG}><use href="data:image/svg+xml;base64,${Buffer.from(`<svg ${SVG} id="x" onload="${run}"/>`).toString("base64")}#x"/></svg>`,
  `<svg ${SVG}><style>@import "data:text/css,*{background:url(javascript:${run})}";</style></svg>`,
  `<svg ${SVG}><rect width="9" height="9" style="background:url(${js});behavior:url(#x);-moz-binding:url(#x)"/></svg>`,
  // What XML reads as text, HTML may read as markup.
  ` <svg ${SVG}><style><![CDATA[</style><img src=x onerror="${run}">]]></style></svg>`,
  ` <svg ${SVG}><style>&lt;/style>&lt;img src=x onerror="${run}"></style></svg>`,
  ` <svg ${SVG}><style><a title="&lt;/style>&lt;img src=x onerror=&quot;${run}&quot;>"/></style></svg>`,
  ` <svg ${SVG}><title><style><![CDATA[</style></title></svg><img src=x onerror="${run}">]]></style></title></svg>`,
  ` <svg ${SVG}><desc><style><a id="&lt;/style>&lt;img src=x onerror=&quot;${run}&quot;>"/></style></desc></svg>`,
  ` <svg ${SVG}><desc><![CDATA[</desc></svg><img src=x onerror="${run}">]]></desc></svg>`,
  ` <svg ${SVG}><text><![CDATA[</text></svg><img src=x onerror="${run}">]]></text></svg>`,
  ` <svg ${SVG}><p/><style><!--</style><img src=x onerror="${run}">--></style></svg>`,
  ` <svg ${SVG}><!--><img src=x onerror="${run}">--></svg>`,
  ` <svg ${SVG}><!-- --!><img src=x onerror="${run}"> --></svg>`,
  ` <svg ${SVG}><?x ><img src=x onerror="${run}">?></svg>`,
  ` <svg ${SVG}><math xmlns="http://www.w3.org/1998/Math/MathML"><mtext><img src="x" onerror="${run}"/></mtext></math></svg>`,
  ` <svg ${SVG}><noscript><style><![CDATA[</noscript><img src=x onerror="${run}">]]></style></noscript></svg>`,
  ` <svg ${SVG}><g id="&quot;>&lt;img src=x onerror=${run}>"/></svg>`,
  ` <svg ${SVG}><title>&lt;img src=x onerror="${run}"></title></svg>`,
  ` <svg ${SVG}><text>&lt;/text>&lt;script>${run}&lt;/script></text></svg>`,
  ` <svg ${SVG}><font color="red"><img src="x" onerror="${run}"/></font></svg>`,
  ` <svg ${SVG}></svg><script>${run}</script>`,
];
