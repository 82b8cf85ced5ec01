"""Giving devices their keys, and the tables their PIN."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "device_link": ("卓の端末を登録・交換する", "Give a table its key, or replace its device"),
    "devices": ("端末の登録", "Devices"),
    "device_letters": ("卓の画面の文字(8文字)", "Letters on the table's screen (8)"),
    "device_look": ("端末を探す", "Find the device"),
    "device_how": (
        "鍵のない卓の画面にはQRコードが出ます。スマートフォンで読み取るか、下の8文字をここに入れてください。",
        "A table without a key shows a QR code. Scan it with a phone, or type its 8 letters here.",
    ),
    "device_code": ("確認番号", "Confirmation code"),
    "device_waits_code": ("端末の応答を待っています…", "Waiting for the device …"),
    "device_same": (
        "卓の画面に同じ番号が出ていますか? 違うときは「違う」を押してください。誰かが間に入っています。",
        "Does the screen of the table show the same code? If not, press “Not the same”: somebody stands between.",
    ),
    "device_table": ("卓番号", "Table number"),
    "device_replace": (
        "この卓の今までの端末と取り替える(今までの端末は使えなくなります。対局は続きから再開します)",
        "This device takes the place of the table's old one (which is not heard any more; its game goes on here)",
    ),
    "device_approve": ("同じ番号です:この卓にする", "The codes are equal: make it this table"),
    "device_refuse": ("違う・知らない端末", "Not the same, or unknown"),
    "device_press": (
        "登録しました。卓の左右のボタンを同時に押してください。",
        "Approved. Now press both buttons of the table together.",
    ),
    "device_agreed": ("卓のボタンが押されました。", "The buttons of the table were pressed."),
    "device_giving": ("鍵と記録を送っています…", "Sending the key and the records …"),
    "device_done": ("完了しました。卓の画面を確かめてください。", "Done. Look at the screen of the table."),
    "device_ended": ("この端末の登録は終わりました。", "This offer is over."),
    "device_again": (
        "卓の画面に新しいQRコードが出たら、もう一度読み取ってください。",
        "Scan again when the table shows a new QR code.",
    ),
    "hall_pin": ("審判の暗証番号", "Arbiters' PIN"),
    "hall_pin_why": (
        "卓の審判画面を開く番号です。すべての卓に同じ番号が送られます。あとから登録した卓や予備機にも届きます。",
        "It opens the arbiter's screen at every table. All tables get it, also those that are added later, and spares.",
    ),
    "hall_pin_none": (
        "この本部ではまだ設定していません。卓は自分の設定ファイルの番号、または前に受け取った番号を使います。",
        "Not set at this head. Tables go on with the PIN of their own file, or with one they were sent before.",
    ),
    "hall_pin_since": ("設定した日時", "Set at"),
    "hall_pin_new": ("新しい暗証番号(4~8桁の数字)", "New PIN (4 to 8 figures)"),
    "hall_pin_again": ("もう一度", "Once more"),
    "hall_pin_set": ("すべての卓に送る", "Send it to all tables"),
    "hall_pin_never": (
        "番号は二度と表示されません。忘れたら新しい番号を設定してください。",
        "It is never shown again. If it is forgotten, set another one.",
    ),
    "hall_pin_chief": ("変更できるのは審判長だけです。", "Only the chief arbiter can change it."),
    "hall_pin_to": ("いつもの自分のパスワード", "Your own password"),
    "told.waits": ("接続待ち", "waits for the table"),
    "told.sent": ("送信済み", "sent"),
    "told.applied": ("設定済み", "applied"),
    "told.refused": ("拒否", "refused"),
    "kind.device-pin-changed": ("審判の暗証番号を変更", "arbiters' PIN changed"),
    "kind.device-enrolled": ("端末に鍵を発行", "device given a key"),
    "kind.device-refused": ("端末を拒否", "device refused"),
    "kind.device-returned": ("前の端末の記録を受信", "records of a replaced device"),
}
