// SPDX-License-Identifier: Apache-2.0

// Package nearest finds the word that somebody meant who misspelt it.
package nearest // import "github.com/genainormalize/genainormalizeprocessor/cmd/genainormalize/internal/nearest"

// Word returns the one of several words that a misspelt one is nearest to: "originals" for "originls". It is empty if
// all differ in more than a third of their letters.
func Word(misspelt string, words []string) (nearest string) {
	least := len(misspelt)/3 + 1
	for _, word := range words {
		if d := distance(misspelt, word); d < least {
			nearest, least = word, d
		}
	}
	return nearest
}

// distance is how many letters have to be inserted, left out or replaced to get from one word to the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
