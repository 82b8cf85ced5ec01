"""The names of openings: facts, one a line.

The law: ``rule | transcript | Japanese | English``, ordered by families; the transcript begins with f5 (OPN-01) and
replays. OPN-02 to OPN-06 are RULES.md's; the other names and lines are those in common use in the published lists of
openings (samsoft.org.uk, Egaroucid), transposed to f5.
"""

from __future__ import annotations

LINES = """\
OPN-02 | f5d6 | 縦取り | Vertical, Perpendicular
OPN-02 | f5f6 | 斜め取り | Diagonal
OPN-02 | f5f4 | 並び取り | Parallel
- | f5d6c5 | 兎系 | Rabbit family
- | f5d6c3 | 虎系 | Tiger family
- | f5d6c4 | 猫系 | Cat family
- | f5f6e6f4 | 牛系 | Cow family
OPN-03 | f5d6c5f4e3 | 兎定石 | Rabbit
OPN-04 | f5d6c3d3c4 | 虎定石 | Tiger
OPN-05 | f5f6e6d6c5 | 牛定石 | Cow
OPN-06 | f5f4e3f6d3 | 鼠定石 | Rat
- | f5d6c3d3c4b3 | イエス流 | Aubrey, Tanaka
- | f5d6c3d3c4b3d2f4 | イエス流（フェルドボルグ） | Aubrey (Feldborg Continuation)
- | f5d6c3d3c4f4c5 | 虎大量取り | Mass-turning Tiger
- | f5d6c3d3c4f4c5b3c2 | 花形定石（ローズビル） | Rose-Bill
- | f5d6c3d3c4f4c5b3c2b4 | FJT定石 | Central Rose-Bill, Dead Draw
- | f5d6c3d3c4f4c5b3c2e3 | 酉定石 | Rooster
- | f5d6c3d3c4f4c5b3c2e6 | 金魚定石 | Tamenori, Goldfish
- | f5d6c3d3c4f4c5b4 | バナナ定石 | Banana
- | f5d6c3d3c4f4c5b4b5c6f3e6e3 | 虎・イシイ | Ishii
- | f5d6c3d3c4f4c5b4b5c6f3e6e3g6f6g5d7g3 | 虎メインライン | Mainline Tiger
- | f5d6c3d3c4f4e3 | ブライトウェル | Brightwell
- | f5d6c3d3c4f4e6 | リーダーズタイガー | Leader's Tiger
- | f5d6c3d3c4f4f6 | ステファンソン | Stephenson
- | f5d6c3d3c4f4f6b4 | カン | Kung
- | f5d6c3d3c4f4f6f3 | コンポス | Comp'Oth
- | f5d6c3d3c4f4f6f3e3 | ライトニングボルト | Lightning Bolt
- | f5d6c3d3c4f4f6f3e6e7d7g6f8f7g5h6h4g4h3h5h7 | F.A.T.ドロー | F.A.T. Draw
- | f5d6c3d3c4f4f6g5 | ノーカン | No-Kung
- | f5d6c3d3c4f4f6g5e3f3g4h3g3f2 | ノーカン（続き） | No-Kung (Continuation)
- | f5d6c3d3c5 | ザリガニ定石 | Crayfish
- | f5d6c3d3c6 | 海老定石 | Shrimp
- | f5d6c3f4f6 | 龍定石 | Dragon
- | f5d6c3f4f6d3c6 | 水神定石 | Water God
- | f5d6c3f4f6d3f3b3 | 風神定石 | Wind God
- | f5d6c3f4f6d3f3g4 | 天狗定石 | Tengu
- | f5d6c3g5 | ミサイル定石 | Bent Ganglion, Missile
- | f5d6c4b3 | 雷定石 | Thunder
- | f5d6c4d3c5 | 猫定石 | Cat
- | f5d6c4d3c5f4e3f3c2b4b3 | 猫・ベルナー | Berner
- | f5d6c4d3c5f4e3f3c2c6 | 猫定石・坂口流 | Sakaguchi
- | f5d6c4d3e6 | 羊定石 | Italian, Sheep
- | f5d6c4g5 | ノーキャット | Ganglion, No-Cat
- | f5d6c4g5c6 | 燕定石 | Swallow
- | f5d6c4g5c6c5d7d3b4c3e3f3 | ノーキャット（続き） | No-Cat (Continuation)
- | f5d6c5f4d3 | 馬定石 | Horse
- | f5d6c5f4d7 | 鶴定石 | Crane
- | f5d6c5f4f3 | 鹿定石 | Deer
- | f5d6c5f4e3d3 | 三村流 | Mimura
- | f5d6c5f4e3c6d3f3 | ラレ定石 | Ralle
- | f5d6c5f4e3c6d3g5 | 横うさぎ | Sideways Rabbit
- | f5d6c5f4e3c6d3f6e6d7 | ローズ | Rose
- | f5d6c5f4e3c6d3f6e6d7e7 | 手塚システム | Greenberg, Dawg, Tezuka System
- | f5d6c5f4e3c6d3f6e6d7g3 | シャープローズ | Sharp Rose
- | f5d6c5f4e3c6d3f6e6d7g3c4 | シャープローズ基本形 | Rose-Birth
- | f5d6c5f4e3c6d3f6e6d7g3c4b4 | シャープローズ（為則ローズ） | Rose-Birdie, Rose-Tamenori
- | f5d6c5f4e3c6d3f6e6d7g3c4b4c3 | 為則ローズ（クリング） | Rose-Tamenori-Kling
- | f5d6c5f4e3c6d3f6e6d7g3c4g5 | シャープローズ・ローテーション型 | Rotating Sharp Rose
- | f5d6c5f4e3c6d3f6e6d7g3c4g5c3b4e2 | ブライトシュタイン | Brightstein
- | f5d6c5f4e3c6d3f6e6d7g4 | フラットローズ | Flat Rose
- | f5d6c5f4e3c6d3f6e6d7g4c4 | フラットローズ・ローテーション型 | Rotating Flat Rose
- | f5d6c5f4e3c6d3f6e6d7g4c4g5c3f7d2e7f2 | フラットローズ・クリング型 | Rotating Flat Rose (Kling Continuation)
- | f5d6c5f4e3c6d3f6e6d7g4c4g6 | 村上流 | Murakami Variation
- | f5d6c5f4e3c6d7 | バガット | Bhagat
- | f5d6c5f4e3c6e6 | 井上流 | Inoue
- | f5d6c5f4e3c6e6f6 | 雪うさぎ | Iago, Snow Rabbit
- | f5d6c5f4e3c6f3 | シャーマン | Shaman, Danish
- | f5f6c4f4 | セミウィング | Semi-Wing Variation
- | f5f6d3f4 | ウィング | Wing Variation
- | f5f6e6f4c3 | バッファロー定石 | Buffalo, Kenichi Variation
- | f5f6e6f4c3c4 | 北陸バッファロー | Hokuriku Buffalo
- | f5f6e6f4c3d6f3c4c5b4 | 谷田バッファロー | Tanida Buffalo
- | f5f6e6f4c3d7f3 | 丸岡バッファロー | Maruoka Buffalo
- | f5f6e6f4e3c5c4 | ローズ対トート | Rose-v-Toth
- | f5f6e6f4e3c5c4d2 | 逆沈没船 | Reverse Sunken Ship
- | f5f6e6f4e3c5c4d2c6e7 | 幽霊船 | Ghost Ship
- | f5f6e6f4e3c5c4d3c3 | ランダウ | Landau
- | f5f6e6f4e3c5c4d3f3e2 | 丸岡流 | Maruoka
- | f5f6e6f4e3c5c4d6 | カヌー定石 | Canoe
- | f5f6e6f4e3c5c4d7 | 沈没船 | Sunken Ship
- | f5f6e6f4e3c5c4e7 | 谷田流 | Tanida
- | f5f6e6f4e3c5c4e7b5e2 | ヨット定石 | Sailboat
- | f5f6e6f4e3c5c4e7c6e2 | 快速船 | Fast Boat
- | f5f6e6f4e3c5c4e7g4 | 飛行機 | Aircraft, Feldborg
- | f5f6e6f4e3c5g5 | こうもり定石 | Bat, Cambridge
- | f5f6e6f4e3c5g5d6g6 | こうもり定石（クリング別形） | Bat (Kling Alternative)
- | f5f6e6f4e3c5g5f3g4g6g3d6f7h5h4h3e7 | こうもり定石（クリング） | Bat (Kling Continuation)
- | f5f6e6f4e3c5g5g3g4f3c4 | メルニコフ | Melnikov, Bat (Piau Continuation 1)
- | f5f6e6f4e3c5g5g3g4f3g6 | こうもり定石（ピオー2） | Bat (Piau Continuation 2)
- | f5f6e6f4e3c5g6 | 潜水艦 | Submarine
- | f5f6e6f4e3d3 | 石橋流 | Ishibashi
- | f5f6e6f4e3d6 | 白大量取り | Chimney
- | f5f6e6f4e3d6c6c5e7 | 戦車定石 | Tank
- | f5f6e6f4e3d7 | ヨーグルトプリン | Yoghurt Pudding
- | f5f6e6f4g3 | ロケット定石 | Rocket
- | f5f6e6f4g3d6 | ロリポップ | Lollipop
- | f5f6e6f4g3f3g4 | ハミルトン | Hamilton
- | f5f6e6f4g4 | たぬき | Raccoon Dog
- | f5f6e6f4g5 | 飛び出し牛 | Heath, Tobidashi
- | f5f6e6f4g5d6 | 白裏大量取り | Heath-Chimney
- | f5f6e6f4g5e7d7 | 岩崎流 | Iwasaki Variation
- | f5f6e6f4g5e7e3 | 裏こうもり | Heath-Bat
- | f5f6e6f4g5e7f7c5e3f3c4d3c2 | 三村流II | Mimura Variation II
- | f5f6e6f4g5e7f7d6 | 野いちご | Wild Strawberry
- | f5f6e6f4g6 | 蛇定石 | Snake, Peasant
- | f5f6e6f4g6c5g4g5f3e3c4 | ピラミッド | Pyramid, Checkerboarding Peasant
- | f5f6e6f4g6c6 | コブラ定石 | Lysons, Cobra
- | f5f6e6f4g6d6 | つちのこ | Tsuchinoko
- | f5f6e6f4g7 | 暴走牛 | X-square Opening, Runaway Cow
- | f5f4e3f6c4e2 | ヨット鼠 | Yacht Rat
"""
