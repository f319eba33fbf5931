# Fills a database of SmokePing's: FILE FROM TO MILLISECONDS. Pings are lost, and rounds fail.
use strict;
use warnings;
use RRDs;

my ($file, $from, $to, $milliseconds) = @ARGV;
my @updates;
for (my $time = $from + 300; $time <= $to; $time += 300) {
    my $round = $time / 300;
    my $median = $milliseconds * (1 + 0.5 * sin($round / 40)) / 1000;
    my $lost = $round % 17 == 0 ? $round % 20 : 0;
    my @pings = map { $_ > 20 - $lost ? 'U' : $median * (0.8 + $_ / 50 + ($round % 7) / 100) } 1 .. 20;
    push @updates, $round % 101 == 0 ? $time . ':U' x 23 : join ':', $time, 'U', $lost, $median, @pings;
}
RRDs::update($file, @updates);
die RRDs::error() if RRDs::error();
