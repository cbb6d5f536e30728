use super::*;

fn markdown(text: &str) -> String {
    Rendering::Markdown.html(text)
}

/// Renders Markdown to HTML that is [`checked`].
fn rendered(text: &str) -> String {
    let html = markdown(text);
    checked(&html);
    html
}

#[track_caller]
fn assert_has(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "no `{part}` in: {html}");
    }
}

/// Checks that HTML is well-formed XML of elements that load and run nothing, and returns the deepest nesting.
fn checked(html: &str) -> usize {
    const ATTRIBUTES: [&str; 8] = [
        "aria-label",
        "aria-level",
        "class",
        "dir",
        "display",
        "role",
        "start",
        "tabindex",
    ];
    let (mut open, mut deepest, mut rest) = (Vec::new(), 0, html);
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>'), "{text}");
        let (tag, after) = after.split_once('>').expect(html);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{html}");
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap();
        for never in [
            "script", "style", "a", "img", "iframe", "link", "svg", "form", "input",
        ] {
            assert_ne!(name, never, "{html}");
        }
        let is_formula = open.contains(&"math");
        for (place, part) in tag
            .split('"')
            .enumerate()
            .filter(|(place, _)| place % 2 == 0)
        {
            let name = part.split(' ').next_back().unwrap().trim_end_matches('=');
            let is_last = part.ends_with(name) && !part.ends_with('=');
            assert!(
                is_last || is_formula || ATTRIBUTES.contains(&name),
                "{place}: {tag}"
            );
            assert!(
                !name.starts_with("on") && !["style", "href", "src"].contains(&name),
                "{tag}"
            );
        }
        if !tag.ends_with('/') {
            open.push(name);
            deepest = deepest.max(open.len());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    deepest
}

#[test]
fn tables_have_their_alignment_and_scroll() {
    let html = rendered("| a | b |\n|:--|--:|\n| 1<br>2 | **x** |\n| only |");
    assert!(
        html.starts_with(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">"
        )
    );
    assert_has(&html, &["<th>a</th><th class=\"right\">b</th>"]);
    assert_has(
        &html,
        &["<td dir=\"auto\">1<br/>2</td><td dir=\"auto\" class=\"right\"><strong>x</strong></td>"],
    );
    assert_eq!(html.matches("<tr>").count(), 3);
}

#[test]
fn code_keeps_every_character() {
    let program = "def f(x):\n\treturn x < 1 and \"**y**\"  # \\(z\\) $q$\n\n\nf(2)\n";
    let kept = escaped(program);
    for fence in ["```python", "~~~", "````"] {
        let end = fence.trim_end_matches("python");
        let html = rendered(&format!("Before:\n\n{fence}\n{program}{end}\nafter"));
        assert_has(&html, &[&format!("<code>{kept}</code></pre>")]);
    }
    let open = markdown(&format!("```\n{program}"));
    assert!(open.contains(&kept), "a fence that is not closed: {open}");
    let html = Rendering::Code.html(program);
    checked(&html);
    assert_has(&html, &[&format!("<code>{kept}</code>")]);
    assert!(markdown("a `b<c>` d").contains("<code dir=\"auto\">b&lt;c&gt;</code>"));
}

#[test]
fn lists_nest_and_keep_their_numbers() {
    let html = rendered("3. three\n   - a\n     - b\n4. four\n\n- [x] done\n- [ ] open");
    assert_has(
        &html,
        &["<ol dir=\"auto\" start=\"3\"><li>three<ul dir=\"auto\"><li>a<ul"],
    );
    assert_has(&html, &["<li>☑ done</li>", "<li>☐ open</li>"]);
}

#[test]
fn formulas_are_mathml_and_unknown_ones_stay_latex() {
    for inline in ["so $x_1^2$ is", "so \\(x_1^2\\) is", "so \\( x_1^2 \\) is"] {
        let html = rendered(inline);
        assert_has(&html, &["<math display=\"inline\"><msubsup><mi>x</mi>"]);
    }
    for display in [
        "$$a \\le b$$",
        "\\[\na\n\\le b\n\\]",
        "- so\n  \\[\n  a \\le b\n  \\]",
    ] {
        let html = rendered(display);
        assert!(
            html.contains("<math display=\"block\">") && html.contains('≤'),
            "{html}"
        );
    }
    let relations = markdown("$a<b \\& c>d$");
    assert_has(&relations, &["<mo>&lt;</mo>", "<mo>&gt;</mo>"]);
    let unknown = markdown("$\\nonsense{a<b}$");
    assert_has(&unknown, &["<code dir=\"ltr\">\\nonsense{a&lt;b}</code>"]);
    // What defines commands, or would lose a sign by which it means something else.
    for kept in ["\\def\\a{\\a\\a}\\a", "\\not{x}"] {
        let html = markdown(&format!("${kept}$"));
        assert!(!html.contains("<mi>") || html.contains('\u{338}'), "{html}");
    }
    for prices in ["$5 and $10", "$20–$30", "US$5, A$6"] {
        assert_eq!(markdown(prices), format!("<p dir=\"auto\">{prices}</p>\n"));
    }
    assert!(!markdown("`\\(x\\)` and \\\\(y\\\\)").contains("<math"));
}

#[test]
fn what_an_output_names_is_neither_loaded_nor_run() {
    for hostile in [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<div style=\"position:fixed\" onclick='x()'>\n\n**a**\n\n</div>",
        "[a](javascript:alert(1)) [b](<data:text/html,x> \"t\\\"><img src=x>\")",
        "![a\"><script>](http://x.example/a.png)",
        "<http://x.example/\"onmouseover=\"a()>",
        "<a href=//x.example><b><i><table><tr><td>",
        "<!-- <script> --> <![CDATA[ <img src=x> ]]> <?php a() ?>",
        "```\"><script>alert(1)</script>\nx\n```",
        "[r]\n\n[r]: javascript:alert(1) '\"><script>'",
        "| a |\n|---|\n| <svg onload=alert(1)> |",
        "$\\operatorname{<img src=x onerror=alert(1)>}$ $\\text{</math><script>alert(1)</script>}$",
        "$\\href{javascript:alert(1)}{a}$ $\\color{red\"onload=\"x}{a}$ $\\class{a\"b}{c}$",
        "&lt;script&gt; &#60;img src=x onerror=a()&#62;",
        "user: <script>a()</script>\n\nassistant: </section><script>a()</script>",
        "\u{0}<\u{0}script>",
    ] {
        for rendering in [Rendering::Markdown, Rendering::Plain, Rendering::Code] {
            checked(&rendering.html(hostile));
        }
    }
    let link = markdown("[a](javascript:alert(1)) <https://x.example>");
    assert_eq!(
        link,
        "<p dir=\"auto\">a<span class=\"target\" dir=\"ltr\"> (javascript:alert(1))</span> https://x.example</p>\n"
    );
    let image = markdown("![a *b*](http://x.example/c.png)");
    assert_has(
        &image,
        &[
            "[image: a <em>b</em>]<span class=\"target\" dir=\"ltr\"> (http://x.example/c.png)</span>",
        ],
    );
}

#[test]
fn nothing_is_too_deep_or_too_long() {
    let times = |text: &str, n: usize| text.repeat(n);
    for text in [
        times(">", 20_000),
        times("[", 20_000),
        times("![a](", 4000),
        times("- ", 10_000) + "a",
        times("1. ", 7000) + "a",
        times("*a _b ", 4000),
        times("**a", 6000) + &times("a**", 6000),
        times("<b>", 7000),
        times("`", 20_001),
        times("|a", 5000) + "\n" + &times("|-", 5000) + "\n" + &times("|b", 5000),
        times("> ", 22) + "|a|\n" + &times("> ", 22) + "|-|\n" + &times("> ", 22) + "|b|",
        times("\\(", 10_000),
        times("\\(a\\) ", 3000),
        format!("${}x$", times("\\sqrt", 390)),
        format!("${}x$", times("\\frac1", 330)),
        format!("${}x$", times("\\hat1", 390)),
        format!("${}x$", times("\\overset{a}", 180)),
        format!("$${}{}$$", times("{", 5000), times("}", 5000)),
        format!("${}{}$", times("\\sqrt{", 280), times("}", 280)),
        format!("${}$", times("\\left(", 330)),
        format!(
            "${}{}$",
            times("\\begin{matrix}", 60),
            times("\\end{matrix}", 60)
        ),
        times("user: a\n\n", 2000),
        (0..200).map(|i| " ".repeat(i) + "- a\n").collect(),
        times("words and words ", 1250),
    ] {
        assert!(
            checked(&markdown(&text)) <= 100,
            "{}",
            &text[..40.min(text.len())]
        );
    }
}

#[test]
fn texts_keep_their_direction() {
    let html = rendered(
        "مرحبا `f(x)`\n\n- אחת\n\n  שתיים\n\n> אחת\n\n```\nprint(1)\n```\n\n| א |\n|---|\n| ב |",
    );
    assert_has(
        &html,
        &[
            "<p dir=\"auto\">مرحبا",
            "<ul dir=\"auto\">",
            "<p>שתיים",
            "<blockquote dir=\"auto\"><p>אחת",
            "<pre dir=\"ltr\"",
            "<td dir=\"auto\">ב",
        ],
    );
}

#[test]
fn conversations_are_turns_and_other_texts_are_not() {
    let html = rendered("user: Hi\n\nthere\n\nassistant: **Hello**\n\n\nuser: again");
    let roles: Vec<&str> = html
        .split("<p class=\"role\">")
        .skip(1)
        .map(|turn| turn.split('<').next().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_has(&html, &["<p dir=\"auto\">there</p>"]);
    for text in [
        "user: Hi",
        "note: a\n\nuser: b",
        "Hi\n\nuser: Hi\n\nassistant: a",
        "é: é\n\nuser: b",
    ] {
        assert!(!markdown(text).contains("section"), "{text}");
    }
}

#[test]
fn lines_and_words_are_all_there() {
    assert_eq!(markdown(" \n\t"), "");
    assert_eq!(markdown("a\nb"), "<p dir=\"auto\">a<br/>b</p>\n");
    let plain = Rendering::Plain.html("# a\n  <b>");
    assert_eq!(
        plain,
        "<p class=\"written\" dir=\"auto\"># a\n  &lt;b&gt;</p>\n"
    );
    let blocks = Rendering::Markdown.blocks("# One\n\ntwo `x`\n\n- three\n- four");
    let letters: Vec<usize> = blocks.iter().map(|block| block.letters).collect();
    assert_eq!(letters, [3, 5, 9]);
}
