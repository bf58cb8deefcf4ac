#!/usr/bin/env bash
# Draws curves: of a CSV file with the columns of, x, what and a value an SVG file <folder>/<of>.svg for each `of`, a line for
# each `what`: both axes logarithmic, or (linear) each x as far from the next as any and values as they are. The values are seconds,
# or in the unit that is named last.
set -euo pipefail
cd "$(dirname "$0")/.."
csv=$1 folder=$2 scale=${3:-logarithmic} unit=${4:-s}
for of in $(tail -n +2 "$csv" | cut -d, -f1 | sort -u); do
  tail -n +2 "$csv" | awk -F, -v of="$of" -v linear="$([ "$scale" = linear ] && echo 1)" -v unit="$unit" '
    function sx(x) { if (linear) return 70 + 450 * (xs > 1 ? (place[x] - 1) / (xs - 1) : 0.5); return 70 + 450 * (log(x) - log(x0)) / (log(x1) - log(x0)) }
    function sy(y) { if (linear) return 330 - 300 * (y - y0) / (y1 - y0); return 330 - 300 * (log(y) - log(y0)) / (log(y1) - log(y0)) }
    # A power of ten as people write it.
    function shown(n) { if (n >= 1000000) return n / 1000000 " M"; if (n >= 1000) return n / 1000 " k"; return n "" }
    $1 == of && $4 > 0 {
      if (!($3 in seen)) { seen[$3] = ++lines; name[lines] = $3 }
      x[$3, ++points[$3]] = $2; y[$3, points[$3]] = $4
      if (!($2 in place)) { place[$2] = ++xs; at[xs] = $2 }
      if (!x0 || $2 < x0) x0 = $2; if ($2 > x1) x1 = $2
      if (!least || $4 < least) least = $4; if ($4 > most) most = $4
    }
    END {
      if (linear) {
        step = 10 ^ int(log(most) / log(10) - (most < 1)); if (most - least < 2 * step) step /= 5
        y0 = step * int(least / step); y1 = step * int(most / step + 0.999999); if (y1 <= y0) y1 = y0 + step
      } else y0 = 10 ^ int(log(least) / log(10) - 1)
      if (!linear) y1 = 10 ^ int(log(most) / log(10) + (most > 1 ? 1 : 0))
      split("#1b6ca8 #c0392b #2e8b57 #8e44ad #d68910 #555555 #16a085", colour, " ")
      print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 380\" font-family=\"sans-serif\" font-size=\"12\">"
      print "<rect width=\"700\" height=\"380\" fill=\"white\"/>"
      for (t = 1; linear && t <= xs; t++)
        printf "<path d=\"M%.1f 30V330\" stroke=\"#eee\"/><text x=\"%.1f\" y=\"348\" text-anchor=\"middle\">%s</text>\n", sx(at[t]), sx(at[t]), at[t]
      for (t = 10 ^ int(log(x0) / log(10)); !linear && t <= x1 * 1.001; t *= 10) if (t >= x0)
        printf "<path d=\"M%.1f 30V330\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"348\" text-anchor=\"middle\">%s</text>\n", sx(t), sx(t), shown(t)
      for (t = y0; t <= y1 * 1.001; t = linear ? t + step : t * 10)
        printf "<path d=\"M70 %.1fH520\" stroke=\"#ddd\"/><text x=\"62\" y=\"%.1f\" text-anchor=\"end\">%g %s</text>\n", sy(t), sy(t) + 4, t, unit
      printf "<text x=\"295\" y=\"370\" text-anchor=\"middle\">%s</text>\n", of
      for (l = 1; l <= lines; l++) {
        d = ""
        for (p = 1; p <= points[name[l]]; p++) d = d (p > 1 ? "L" : "M") sprintf("%.1f %.1f", sx(x[name[l], p]), sy(y[name[l], p]))
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", d, colour[l]
        printf "<path d=\"M535 %dh20\" stroke=\"%s\" stroke-width=\"2\"/><text x=\"560\" y=\"%d\">%s</text>\n", 40 + 20 * l, colour[l], 44 + 20 * l, name[l]
      }
      print "</svg>"
    }' >"$folder/$of.svg"
  echo "$folder/$of.svg"
done
