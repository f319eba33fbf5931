use super::*;

fn mail(to: &[&str]) -> Mail {
    Mail {
        from: "mrtg@here".to_owned(),
        to: to.iter().map(|each| (*each).to_owned()).collect(),
        text: "Subject: s\n\n.point\nlast\n".to_owned(),
    }
}

/// What is sent for each of these replies; the last word is the error, if there is one.
fn talk(to: &[&str], replies: &[&str]) -> Vec<String> {
    let mut dialogue = Dialogue::new(&mail(to), "gyre.example.org");
    let mut sent = Vec::new();
    for reply in replies {
        match dialogue.take(reply.as_bytes()) {
            Ok(Step::Read) => sent.push("(reads)".to_owned()),
            Ok(Step::Send(bytes) | Step::Done(bytes)) => {
                sent.push(String::from_utf8(bytes).unwrap());
            }
            Err(error) => sent.push(format!("{error} {}", error.is_temporary())),
        }
    }
    sent
}

#[test]
fn a_mail_goes_its_way() {
    let replies = [
        "220 mail.example.org\r\n",
        "250-mail.example.org\r\n250-SIZE",
        " 1000\r\n250 HELP\r\n",
        "250 ok\r\n",
        "250 ok\r\n",
        "251 will do\r\n",
        "354 go on\r\n",
        "250 taken\r\n",
    ];
    let text = "Subject: s\r\n\r\n..point\r\nlast\r\n.\r\n";
    assert_eq!(
        talk(&["a@b", "c@d"], &replies),
        [
            "EHLO gyre.example.org\r\n",
            "(reads)",
            "MAIL FROM:<mrtg@here>\r\n",
            "RCPT TO:<a@b>\r\n",
            "RCPT TO:<c@d>\r\n",
            "DATA\r\n",
            text,
            "QUIT\r\n",
        ]
    );
}

#[test]
fn old_servers_get_helo_and_refused_recipients_do_not_stop_others() {
    let replies =
        ["220 x\r\n", "502 what?\r\n", "250 hi\r\n", "250 ok\r\n", "550 who?\r\n", "250 ok\r\n"];
    assert_eq!(
        talk(&["a@b", "c@d"], &replies)[1..],
        [
            "HELO gyre.example.org\r\n",
            "MAIL FROM:<mrtg@here>\r\n",
            "RCPT TO:<a@b>\r\n",
            "RCPT TO:<c@d>\r\n",
            "DATA\r\n",
        ]
    );
}

#[test]
fn a_refusal_tells_whether_it_is_for_ever() {
    let hello = ["220 x\r\n", "250 x\r\n", "250 ok\r\n"];
    let told = |last: &str| {
        let replies = [&hello[..], &[last]].concat();
        talk(&["a@b"], &replies).pop().unwrap()
    };
    assert_eq!(told("550 who?\r\n"), "it replies to RCPT: 550 who? false");
    assert_eq!(told("451 later\r\n"), "it replies to RCPT: 451 later true");
    assert_eq!(
        talk(&["a@b"], &["HTTP/1.1 400 Bad Request\r\n"]),
        ["expected a reply of SMTP, found `HTTP/1.1 400 Bad Request` true"]
    );
    let endless = "x".repeat(REPLY_BYTES_MAX + 1);
    assert!(talk(&["a@b"], &[&endless])[0].starts_with("expected a reply of SMTP, found `xxx"));
}

#[test]
fn nothing_of_a_mail_can_be_a_command() {
    let mut dialogue = Dialogue::new(
        &Mail {
            from: "a\r\nRSET".to_owned(),
            to: vec!["b>\nDATA".to_owned()],
            text: String::new(),
        },
        "h\nQUIT",
    );
    let mut sent = Vec::new();
    for reply in ["220 x\n", "250 x\n", "250 x\n", "250 x\n"] {
        if let Ok(Step::Send(bytes)) = dialogue.take(reply.as_bytes()) {
            sent.push(String::from_utf8(bytes).unwrap());
        }
    }
    assert_eq!(
        sent,
        ["EHLO hQUIT\r\n", "MAIL FROM:<aRSET>\r\n", "RCPT TO:<bDATA>\r\n", "DATA\r\n"]
    );
}
